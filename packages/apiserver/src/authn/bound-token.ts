import { goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { sharedAudiences, wrongAudience } from './audiences.ts';
import { parseJwt } from './jwt.ts';
import type { BoundPlural, LiveObjects } from './live-objects.ts';
import { type ServiceAccountIdentity, serviceAccountUser } from './service-account-user.ts';
import type { TokenIssuer } from './token-issuer.ts';
import { NONE, refusedVerdict, type Verdict } from './verdict.ts';

/** Dependencies for checking tokens of one cluster. */
export interface TokenCheck {
  readonly issuer: TokenIssuer;
  readonly objects: LiveObjects;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Accepted audiences: the token needs one of them. */
  readonly audiences: readonly string[];
}

/** Tolerance for clock skew, and for the last requests of objects under deletion. */
const LEEWAY_MS = 60_000;
const INVALIDATED = 'service account token has been invalidated';

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

interface Ref {
  readonly name: string;
  readonly uid: string;
}

const refOf = (value: JsonValue | undefined): Ref | undefined =>
  isJsonObject(value) ? { name: textOf(value.name), uid: textOf(value.uid) } : undefined;

const audiencesOf = ({ aud }: JsonObject): readonly string[] =>
  (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');

const timeProblem = ({ exp, nbf, iat }: JsonObject, now: number): string | undefined => {
  const isPast = (seconds: JsonValue | undefined): boolean =>
    seconds === undefined || (typeof seconds === 'number' && seconds * 1000 <= now + LEEWAY_MS);
  if (!isPast(nbf)) return 'service account token is not valid yet';
  const isOver = typeof exp !== 'number' || exp * 1000 < now - LEEWAY_MS;
  if (isOver) return 'service account token has expired';
  return isPast(iat) ? undefined : 'service account token is issued in the future';
};

/** Reason why a token is invalid, by the state of an object that it is bound to. */
const boundProblem = (
  { objects, now }: TokenCheck,
  plural: BoundPlural,
  namespace: string | undefined,
  ref: Ref | undefined,
): string | undefined => {
  if (ref === undefined) return undefined;
  const kind = plural.slice(0, -1);
  const boundObject = objects(plural, namespace, ref.name);
  if (boundObject === undefined) return INVALIDATED;
  if (boundObject.uid !== ref.uid) {
    return `${kind} UID (${boundObject.uid}) does not match service account ${kind} ref claim (${ref.uid})`;
  }
  return boundObject.deletedAt !== undefined && boundObject.deletedAt < now - LEEWAY_MS
    ? INVALIDATED
    : undefined;
};

const accountProblem = (
  { objects, now }: TokenCheck,
  namespace: string,
  { name, uid }: Ref,
): string | undefined => {
  const account = objects('serviceaccounts', namespace, name);
  if (account === undefined) return `serviceaccounts ${goQuote(name)} not found`;
  if (account.uid !== uid) {
    return `service account UID (${account.uid}) does not match claim (${uid})`;
  }
  return account.deletedAt !== undefined && account.deletedAt < now - LEEWAY_MS
    ? `service account ${namespace}/${name} has been deleted`
    : undefined;
};

const identityOf = (check: TokenCheck, claims: JsonObject): ServiceAccountIdentity | string => {
  const about = claims['kubernetes.io'];
  const { namespace: claimed, serviceaccount, ...bound } = isJsonObject(about) ? about : {};
  const namespace = textOf(claimed);
  const account = refOf(serviceaccount) ?? { name: '', uid: '' };
  const [pod, node, secret] = [refOf(bound.pod), refOf(bound.node), refOf(bound.secret)];
  const problem =
    timeProblem(claims, check.now) ??
    accountProblem(check, namespace, account) ??
    boundProblem(check, 'secrets', namespace, secret) ??
    boundProblem(check, 'pods', namespace, pod) ??
    // The node of a pod is informational, and may be deleted before the pod.
    (pod === undefined ? boundProblem(check, 'nodes', undefined, node) : undefined);
  if (problem !== undefined) return problem;
  const tokenId = unlessEmpty(textOf(claims.jti));
  return { namespace, ...account, ...present({ pod, node, tokenId }) };
};

/** The user of a token of the cluster's issuer, as long as all objects that it is bound to exist. */
export const checkBoundToken = (check: TokenCheck, token: string): Verdict => {
  const { issuer, audiences: requestedAudiences } = check;
  const jwt = parseJwt(token);
  if (jwt === undefined || jwt.claims.iss !== issuer.url) return NONE;
  if (!issuer.isSigned(jwt)) return refusedVerdict('invalid signature');
  const tokenAudiences = audiencesOf(jwt.claims);
  const effectiveAudiences = tokenAudiences.length === 0 ? issuer.audiences : tokenAudiences;
  const audiences = sharedAudiences(effectiveAudiences, requestedAudiences);
  if (audiences.length === 0)
    return refusedVerdict(wrongAudience(effectiveAudiences, requestedAudiences));
  const identity = identityOf(check, jwt.claims);
  return typeof identity === 'string'
    ? refusedVerdict(identity)
    : { kind: 'known', user: serviceAccountUser(identity), audiences };
};
