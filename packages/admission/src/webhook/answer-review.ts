import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ResourceAttributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import type { Operation } from '@perigee/scheduling/flows/operation';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { queueProblems } from '@perigee/scheduling/queues/queue-problems';
import { type FieldError, InvalidObjectError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { checkKind, mutateKind } from '../kinds/admit-kind.ts';
import { deletionProblem } from '../kinds/deletion-protection.ts';
import { attributesFor, lacksRight, neededRights } from '../rights/needed-rights.ts';
import { cycleProblems, isOperation, readableOperation } from '../rights/operation-references.ts';

/** One step of a JSON patch. */
type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The JSON patch that makes one object the other. Lists are replaced as a whole. */
const jsonDiff = (from: JsonObject, to: JsonObject, path = ''): readonly PatchOperation[] => {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].flatMap((key): readonly PatchOperation[] => {
    const [before, after] = [from[key], to[key]];
    const at = `${path}/${escapeKey(key)}`;
    if (after === undefined) return before === undefined ? [] : [{ op: 'remove', path: at }];
    if (before === undefined) return [{ op: 'add', path: at, value: after }];
    if (sameJson(before, after)) return [];
    return isJsonObject(before) && isJsonObject(after)
      ? jsonDiff(before, after, at)
      : [{ op: 'replace', path: at, value: after }];
  });
};

/** The endpoints of the webhook. */
export type ReviewTask = 'mutate' | 'validate';

/** Dependencies of the review handlers. */
export interface ReviewContext {
  readonly clock: Clock;
  /** Checks a permission by an access review in the cluster. */
  readonly isAllowed: (attributes: ResourceAttributes) => Promise<boolean>;
  /** Adds the data of its claims to a binding, and suspends it for its queue; no change by default. */
  readonly admitBinding?: (binding: JsonObject, old: JsonObject | undefined) => Promise<JsonObject>;
  /** The queues around one that is written or deleted; without it, a queue is validated alone. */
  readonly queuesAround?: (queue: Queue) => Promise<QueueFamily>;
  /**
   * Loads the operations that an operation runs after, and those before them. If absent, an operation is validated
   * alone.
   */
  readonly operationsBefore?: (operation: Operation) => Promise<FindOperation>;
}

const keyOf = (group: unknown, version: unknown, kind: unknown): string =>
  `${group}/${version}/${kind}`;

const KINDS: ReadonlyMap<string, Kind> = new Map(
  allKinds.map((kind) => [keyOf(kind.group, kind.version, kind.kind), kind]),
);

const keyOfObject = ({ apiVersion, kind }: JsonObject): string => `${apiVersion}/${kind}`;

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

const forbidden = (message: string): JsonObject => ({
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

const isQueue = ({ group, kind }: Kind): boolean => group === Queue.group && kind === Queue.kind;

const isBinding = ({ group, kind }: Kind): boolean =>
  group === ResourceBinding.group && kind === ResourceBinding.kind;

const mutateObject = async (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
  { clock, admitBinding }: ReviewContext,
): Promise<JsonObject> => {
  const canonical = mutateKind(kind, object, old, { clock });
  const admittedObject =
    admitBinding && isBinding(kind) ? await admitBinding(canonical, old) : canonical;
  const operations = jsonDiff(object, admittedObject);
  if (operations.length === 0) return ALLOWED;
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
};

const queueErrors = async (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
  { queuesAround }: ReviewContext,
): Promise<readonly FieldError[]> => {
  if (queuesAround === undefined || !isQueue(kind)) return [];
  const family = await queuesAround(object as never);
  return queueProblems(object as never, old as never, family);
};

const operationErrors = async (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
  { operationsBefore }: ReviewContext,
): Promise<readonly FieldError[]> => {
  if (operationsBefore === undefined || !isOperation(kind)) return [];
  const find = await operationsBefore(readableOperation(object));
  return cycleProblems(object, old, find);
};

const deletionAnswer = async (
  object: JsonObject,
  { queuesAround }: ReviewContext,
): Promise<JsonObject> => {
  const kind = KINDS.get(keyOfObject(object));
  const family =
    kind !== undefined && isQueue(kind) ? await queuesAround?.(object as never) : undefined;
  const problem = deletionProblem(object, family);
  return problem === undefined ? ALLOWED : forbidden(problem);
};

/** Adds the namespace of the request to an object without one. */
const withNamespace = (object: JsonObject, { namespace }: JsonObject): JsonObject => {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return typeof namespace === 'string' && namespace !== '' && !metadata.namespace
    ? { ...object, metadata: { ...metadata, namespace } }
    : object;
};

const userOf = ({ userInfo }: JsonObject): UserInfo => {
  const { username, ...rest } = isJsonObject(userInfo) ? userInfo : {};
  return {
    ...(rest as Omit<UserInfo, 'name'>),
    name: typeof username === 'string' ? username : '',
  };
};

/** Controllers act on behalf of objects, so the authors of these need the permissions themselves. */
const checkRights = async (
  kind: Kind,
  request: JsonObject,
  object: JsonObject,
  old: JsonObject | undefined,
  { isAllowed }: ReviewContext,
): Promise<JsonObject> => {
  const user = userOf(request);
  for (const right of neededRights(kind, object, old)) {
    if (!(await isAllowed(attributesFor(user, right)))) return forbidden(lacksRight(user, right));
  }
  return ALLOWED;
};

const responseTo = async (
  task: ReviewTask,
  request: JsonObject,
  context: ReviewContext,
): Promise<JsonObject> => {
  const kind = kindOf(request);
  const { operation, object, oldObject } = request;
  if (operation === 'DELETE') {
    return isJsonObject(oldObject) ? deletionAnswer(oldObject, context) : ALLOWED;
  }
  // Other kinds are allowed.
  if (kind === undefined || !isJsonObject(object)) return ALLOWED;
  const old = isJsonObject(oldObject) ? oldObject : undefined;
  const whole = withNamespace(object, request);
  try {
    if (task === 'mutate') return await mutateObject(kind, whole, old, context);
    const errors = [
      ...checkKind(kind, whole, old),
      ...(await queueErrors(kind, whole, old, context)),
      ...(await operationErrors(kind, whole, old, context)),
    ];
    if (errors.length > 0) return refusal(errors);
    return await checkRights(kind, request, whole, old, context);
  } catch (error) {
    if (error instanceof InvalidObjectError) return refusal(error.errors);
    throw error;
  }
};

/** Answers an AdmissionReview; undefined if the body is none. */
export const answerReview = async (
  task: ReviewTask,
  review: JsonObject,
  context: ReviewContext,
): Promise<JsonObject | undefined> => {
  const { apiVersion, kind, request } = review;
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') return undefined;
  if (!isJsonObject(request) || typeof request.uid !== 'string') return undefined;
  const response = { uid: request.uid, ...(await responseTo(task, request, context)) };
  return { apiVersion, kind, response };
};
