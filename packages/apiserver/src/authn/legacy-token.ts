import { goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sharedAudiences, wrongAudience } from './audiences.ts';
import type { TokenCheck } from './bound-token.ts';
import { parseJwt, signJwt } from './jwt.ts';
import type { LiveObject } from './live-objects.ts';
import { sameSecret } from './same-secret.ts';
import { serviceAccountUser, serviceAccountUsername } from './service-account-user.ts';
import type { SigningKey } from './signing-key.ts';
import { NONE, refusedVerdict, type Verdict } from './verdict.ts';

const ISSUER = 'kubernetes/serviceaccount';
const CLAIM = {
  namespace: 'kubernetes.io/serviceaccount/namespace',
  secret: 'kubernetes.io/serviceaccount/secret.name',
  account: 'kubernetes.io/serviceaccount/service-account.name',
  uid: 'kubernetes.io/serviceaccount/service-account.uid',
};
/** Label with which the controllers of Kubernetes invalidate a token that was not used for long. */
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const INVALIDATED = 'Token has been invalidated';

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

interface LegacyClaims {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  readonly uid: string;
}

/** A token without expiry, for a Secret. */
export const signLegacyToken = (
  key: SigningKey,
  { namespace, secret, account, uid }: LegacyClaims,
): string =>
  signJwt(key, {
    iss: ISSUER,
    [CLAIM.namespace]: namespace,
    [CLAIM.secret]: secret,
    [CLAIM.account]: account,
    [CLAIM.uid]: uid,
    sub: serviceAccountUsername(namespace, account),
  });

const partOf = ({ object }: LiveObject, ...path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (value, name) => (isJsonObject(value) ? value[name] : undefined),
    object,
  );

const secretProblem = (secret: LiveObject | undefined, token: string): string | undefined => {
  if (secret === undefined || secret.deletedAt !== undefined) return INVALIDATED;
  const storedToken = Buffer.from(textOf(partOf(secret, 'data', 'token')), 'base64').toString();
  if (!sameSecret(storedToken, token)) return "Token does not match server's copy";
  return textOf(partOf(secret, 'metadata', 'labels', INVALID_SINCE)) === ''
    ? undefined
    : `the token in secret ${secret.name} has been marked invalid by the label ${INVALID_SINCE}`;
};

const accountProblem = (
  account: LiveObject | undefined,
  { namespace, account: name, uid }: LegacyClaims,
): string | undefined => {
  if (account === undefined) return `serviceaccounts ${goQuote(name)} not found`;
  if (account.deletedAt !== undefined)
    return `ServiceAccount ${namespace}/${name} has been deleted`;
  return account.uid === uid
    ? undefined
    : `ServiceAccount UID (${account.uid}) does not match claim (${uid})`;
};

const claimsOf = (claims: JsonObject): LegacyClaims | undefined => {
  const legacyClaims = {
    namespace: textOf(claims[CLAIM.namespace]),
    secret: textOf(claims[CLAIM.secret]),
    account: textOf(claims[CLAIM.account]),
    uid: textOf(claims[CLAIM.uid]),
  };
  const subject = serviceAccountUsername(legacyClaims.namespace, legacyClaims.account);
  const isWhole =
    Object.values(legacyClaims).every((value) => value !== '') && claims.sub === subject;
  return isWhole ? legacyClaims : undefined;
};

/**
 * The user of a token from a Secret, as long as the Secret holds it. These tokens name no cluster: they are valid
 * in the cluster of the Secret only, by its key.
 */
export const checkLegacyToken = (check: TokenCheck, token: string): Verdict => {
  const { issuer, objects, audiences: requestedAudiences } = check;
  const jwt = parseJwt(token);
  if (jwt === undefined || jwt.claims.iss !== ISSUER) return NONE;
  if (!issuer.isSigned(jwt)) return refusedVerdict('invalid signature');
  const audiences = sharedAudiences(issuer.audiences, requestedAudiences);
  if (audiences.length === 0)
    return refusedVerdict(wrongAudience(issuer.audiences, requestedAudiences));
  const claims = claimsOf(jwt.claims);
  if (claims === undefined) return refusedVerdict('sub claim is invalid');
  const { namespace, account: name, uid } = claims;
  const problem =
    secretProblem(objects('secrets', namespace, claims.secret), token) ??
    accountProblem(objects('serviceaccounts', namespace, name), claims);
  return problem === undefined
    ? { kind: 'known', user: serviceAccountUser({ namespace, name, uid }), audiences }
    : refusedVerdict(problem);
};
