import { type FieldError, InvalidObjectError } from '@perigee/api/errors';
import { isJsonObject, type JsonObject } from '@perigee/api/json';
import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { Clock } from '@perigee/kube/clock/clock';
import { checkKind, mutateKind } from '../perigee/admit-kind.ts';
import { deletionProblem } from '../perigee/deletion-protection.ts';
import { jsonDiff } from './json-diff.ts';

/** What a webhook is asked to do. */
export type ReviewTask = 'mutate' | 'validate';

const keyOf = (group: unknown, version: unknown, kind: unknown): string =>
  `${group}/${version}/${kind}`;

const KINDS: ReadonlyMap<string, Kind> = new Map(
  allKinds.map((kind) => [keyOf(kind.group, kind.version, kind.kind), kind]),
);

const kindOf = ({ kind }: JsonObject): Kind | undefined => {
  if (!isJsonObject(kind)) return undefined;
  return KINDS.get(keyOf(kind.group, kind.version, kind.kind));
};

const refusal = (errors: readonly FieldError[]): JsonObject => ({
  allowed: false,
  status: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: errors.map(({ field, message }) => `${field}: ${message}`).join(', '),
    details: {
      causes: errors.map(({ reason, field, message }) => ({ reason, field, message })),
    },
  },
});

const protectedFromDeletion = (message: string): JsonObject => ({
  allowed: false,
  status: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 403,
    reason: 'Forbidden',
    message,
  },
});

const ALLOWED: JsonObject = { allowed: true };

const mutated = (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
  clock: Clock,
): JsonObject => {
  const operations = jsonDiff(object, mutateKind(kind, object, old, { clock }));
  if (operations.length === 0) return ALLOWED;
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
};

/** The namespace is not yet in an object that does not name it itself. */
const placed = (object: JsonObject, { namespace }: JsonObject): JsonObject => {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return typeof namespace === 'string' && namespace !== '' && !metadata.namespace
    ? { ...object, metadata: { ...metadata, namespace } }
    : object;
};

const responseTo = (task: ReviewTask, request: JsonObject, clock: Clock): JsonObject => {
  const kind = kindOf(request);
  const { operation, object, oldObject } = request;
  if (operation === 'DELETE') {
    const problem = isJsonObject(oldObject) ? deletionProblem(oldObject) : undefined;
    return problem === undefined ? ALLOWED : protectedFromDeletion(problem);
  }
  // Kinds of others are none of its business.
  if (kind === undefined || !isJsonObject(object)) return ALLOWED;
  const old = isJsonObject(oldObject) ? oldObject : undefined;
  const whole = placed(object, request);
  try {
    if (task === 'mutate') return mutated(kind, whole, old, clock);
    const errors = checkKind(kind, whole, old);
    return errors.length === 0 ? ALLOWED : refusal(errors);
  } catch (error) {
    if (error instanceof InvalidObjectError) return refusal(error.errors);
    throw error;
  }
};

/** Answers an AdmissionReview; undefined when what came is none. */
export const answerReview = (
  task: ReviewTask,
  review: JsonObject,
  clock: Clock,
): JsonObject | undefined => {
  const { apiVersion, kind, request } = review;
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') return undefined;
  if (!isJsonObject(request) || typeof request.uid !== 'string') return undefined;
  const response = { uid: request.uid, ...responseTo(task, request, clock) };
  return { apiVersion, kind, response };
};
