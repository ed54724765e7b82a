import type { FieldError } from '@perigee/api/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import { goQuote } from '@perigee/api/schema/go-text';
import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { foreignOperations, operationProblems } from '@perigee/scheduling/flows/operation-problems';
import type { ResourceAttributes, UserInfo } from '../../rbac/attributes.ts';

interface Resource {
  readonly group: string;
  readonly kind: string;
}

export const isOperation = ({ group, kind }: Resource): boolean =>
  OPERATION_KINDS.some((one) => one.group === group && one.kind === kind);

const isReference = (value: JsonValue | undefined): value is JsonObject =>
  isJsonObject(value) && typeof value.kind === 'string' && typeof value.name === 'string';

const readableReference = (value: JsonValue | undefined): readonly JsonObject[] => {
  if (!isReference(value)) return [];
  const { affinityStrategy, ...reference } = value;
  const dependOn = isJsonObject(affinityStrategy) ? affinityStrategy.dependOn : undefined;
  return [isReference(dependOn) ? { ...reference, affinityStrategy: { dependOn } } : reference];
};

/**
 * What can be read of an operation that somebody wrote: its references, those that are well formed. The others are
 * refused by its definition, which may be asked later.
 */
export const readableOperation = (object: JsonObject): Operation => {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const [runAfter] = readableReference(spec.runAfter);
  const all = Array.isArray(spec.runAfterAll) ? spec.runAfterAll : [];
  const read = {
    ...object,
    metadata: isJsonObject(object.metadata) ? object.metadata : {},
    spec: {
      ...(runAfter === undefined ? {} : { runAfter }),
      runAfterAll: all.flatMap(readableReference),
    },
  };
  return read as never as Operation;
};

/** Why an operation must not be stored beside those that are there. */
export const cycleProblems = (
  object: JsonObject,
  old: JsonObject | undefined,
  find: FindOperation,
): readonly FieldError[] =>
  operationProblems(readableOperation(object), old && readableOperation(old), find);

/** An operation of another namespace, and the wish that somebody must be granted who refers to it. */
export interface ReadWish {
  readonly wish: ResourceAttributes;
  /** Why a write is refused whose author may not. */
  readonly refusal: string;
}

/** What somebody must be allowed to read who writes an operation. */
export const wishesToFollow = (
  user: UserInfo,
  resource: Resource,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly ReadWish[] => {
  if (!isOperation(resource)) return [];
  const found = foreignOperations(readableOperation(object), old && readableOperation(old));
  return found.map(({ field, key: { kind, namespace, name } }) => {
    const of = OPERATION_KINDS.find((one) => one.kind === kind);
    const wish = {
      user,
      verb: 'get',
      apiGroup: of?.group ?? '',
      apiVersion: of?.version ?? '',
      resource: of?.plural ?? '',
      subresource: '',
      name,
      namespace,
    };
    const refusal = `${field}: whoever refers to an operation of another namespace must be allowed to read it, and user ${goQuote(user.name)} cannot get the ${kind} ${goQuote(name)} in the namespace ${goQuote(namespace)}`;
    return { wish, refusal };
  });
};
