import { type FieldError, invalid } from '@perigee/schema/errors';
import { type FindOperation, findCycle } from './find-cycle.ts';
import {
  keyOfOperation,
  keyOfReference,
  nameFrom,
  type Operation,
  type OperationKey,
  type Predecessor,
  textOfKey,
} from './operation.ts';

/** A cycle in words, from the operation back to itself. */
export const cycleText = (cycle: readonly OperationKey[], own: string): string =>
  cycle.map((key) => nameFrom(key, own)).join(', which runs after ');

interface NamedOperation {
  readonly field: string;
  readonly key: OperationKey;
}

const at = (
  reference: Pick<Predecessor, 'kind' | 'namespace' | 'name'>,
  field: string,
  own: string,
): NamedOperation => ({ field, key: keyOfReference(reference, own) });

/** All references of an operation, with their fields: its predecessors, and the operations whose nodes it follows. */
const referencesIn = ({ metadata, spec }: Operation): readonly NamedOperation[] => {
  const { namespace = '' } = metadata;
  const predecessors: readonly (readonly [Predecessor | undefined, string])[] = [
    [spec.runAfter, 'spec.runAfter'],
    ...(spec.runAfterAll ?? []).map((one, place) => [one, `spec.runAfterAll[${place}]`] as const),
  ];
  return predecessors.flatMap(([predecessor, field]) => {
    if (predecessor === undefined) return [];
    const own = at(predecessor, field, namespace);
    const dependOn = predecessor.affinityStrategy?.dependOn;
    const dependencyField = `${field}.affinityStrategy.dependOn`;
    return dependOn === undefined ? [own] : [own, at(dependOn, dependencyField, namespace)];
  });
};

const keysOf = (references: readonly NamedOperation[]): ReadonlySet<string> =>
  new Set(references.map(({ key }) => textOfKey(key)));

/**
 * The operations of other namespaces that a write newly refers to. The author must be allowed to read them, as their
 * state shows in this operation.
 */
export const foreignOperations = (
  operation: Operation,
  old: Operation | undefined,
): readonly NamedOperation[] => {
  const oldKeys = old === undefined ? new Set<string>() : keysOf(referencesIn(old));
  const foreign = referencesIn(operation).filter(
    ({ key }) => key.namespace !== operation.metadata.namespace && !oldKeys.has(textOfKey(key)),
  );
  return [...new Map(foreign.map((one) => [textOfKey(one.key), one])).values()];
};

/** Problems of an operation among the existing ones: a write that adds a predecessor must not close a cycle. */
export const operationProblems = (
  operation: Operation,
  old: Operation | undefined,
  find: FindOperation,
): readonly FieldError[] => {
  const references = referencesIn(operation);
  const oldKeys = old === undefined ? new Set<string>() : keysOf(referencesIn(old));
  if (references.every(({ key }) => oldKeys.has(textOfKey(key)))) return [];
  const own = keyOfOperation(operation);
  const cycle = findCycle(operation, find);
  if (cycle === undefined) return [];
  const [, next = own] = cycle;
  const field = references.find(({ key }) => textOfKey(key) === textOfKey(next))?.field ?? 'spec';
  const message = `would make it wait for itself: ${cycleText(cycle, own.namespace)}`;
  return [invalid(`${field}.name`, next.name, message)];
};
