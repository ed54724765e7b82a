import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { foreignOperations, operationProblems } from '@perigee/scheduling/flows/operation-problems';
import type { FieldError } from '@perigee/schema/errors';
import { goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { NeededRight } from './needed-rights.ts';

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
  const { policy, dependOn } = isJsonObject(affinityStrategy) ? affinityStrategy : {};
  const affinity = { affinityStrategy: { policy: policy ?? '', dependOn } };
  return [isReference(dependOn) ? { ...reference, ...affinity } : reference];
};

/**
 * The well-formed references of an operation as a user wrote it. The schema of its definition, which may run later,
 * refuses the others.
 */
export const readableOperation = (object: JsonObject): Operation => {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const [runAfter] = readableReference(spec.runAfter);
  const all = Array.isArray(spec.runAfterAll) ? spec.runAfterAll : [];
  const read = {
    ...object,
    metadata: isJsonObject(object.metadata) ? object.metadata : {},
    spec: {
      ...present({ runAfter }),
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

/**
 * An operation shows the state of the operations that it refers to, so references into another namespace take the
 * right to read them.
 */
export const operationRights = (
  resource: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NeededRight[] => {
  const isOne = OPERATION_KINDS.some(
    ({ group, plural }) => group === resource.group && plural === resource.plural,
  );
  if (!isOne) return [];
  const operations = foreignOperations(readableOperation(object), old && readableOperation(old));
  return operations.map(({ field, key: { kind, namespace, name } }) => {
    const of = OPERATION_KINDS.find((one) => one.kind === kind);
    return {
      field,
      verb: 'get',
      apiGroup: resource.group,
      apiVersion: of?.version ?? '',
      resource: of?.plural ?? '',
      namespace,
      name,
      because: 'whoever refers to an operation of another namespace must be allowed to read it',
      toDo: `get the ${kind} ${goQuote(name)} in the namespace ${goQuote(namespace)}`,
    };
  });
};
