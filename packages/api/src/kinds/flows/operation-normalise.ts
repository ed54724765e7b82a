import { type FieldError, InvalidObjectError, invalid } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { Normaliser } from '../../kind/define-kind.ts';
import { itemsAt, type Located, mapObject, objectAt } from '../../kind/reshape.ts';
import { normalisePlacement } from '../placement/placement.ts';

/** Spellings of the Fluid design that all data operations share. */
export const operationSpellings = {
  'spec.runAfter.kind': ['operationKind'],
  'spec.runAfterAll[].kind': ['operationKind'],
  'status.waitingFor': ['waitFor'],
};

/** Normalises the spec of one kind of operation; its problems go to `errors`. */
export type SpecStep = (
  spec: JsonObject,
  context: {
    readonly namespace: string | undefined;
    readonly old: JsonObject;
    readonly errors: FieldError[];
  },
) => JsonObject;

/** The dataset of an operation is in the operation's own namespace by default. */
export const withNamespace = (
  dataset: JsonValue | undefined,
  namespace: string | undefined,
): JsonValue | undefined =>
  isJsonObject(dataset) && !dataset.namespace && namespace !== undefined
    ? { ...dataset, namespace }
    : dataset;

/** True when the dataset is named and is known to be in another namespace. */
export const isForeign = (
  dataset: JsonValue | undefined,
  namespace: string | undefined,
): dataset is JsonObject =>
  isJsonObject(dataset) && namespace !== undefined && dataset.namespace !== namespace;

export const foreignDataset = (field: string, dataset: JsonObject): FieldError =>
  invalid(
    `${field}.namespace`,
    dataset.namespace,
    'must be the namespace of the operation, because its pods mount the dataset there',
  );

const predecessorsIn = (spec: JsonObject): readonly Located[] => [
  ...(isJsonObject(spec.runAfter) ? [[spec.runAfter, 'spec.runAfter'] as const] : []),
  ...itemsAt([spec, 'spec'], 'runAfterAll'),
];

const selfReferences = (kind: string, metadata: JsonObject, spec: JsonObject): FieldError[] => {
  if (typeof metadata.name !== 'string') return [];
  const references = predecessorsIn(spec).flatMap(([predecessor, at]) => {
    const dependOn = objectAt(objectAt(predecessor, 'affinityStrategy'), 'dependOn');
    const own: Located = [predecessor, at];
    return dependOn === undefined
      ? [own]
      : [own, [dependOn, `${at}.affinityStrategy.dependOn`] as const];
  });
  return references.flatMap(([reference, at]) =>
    reference.kind === kind &&
    reference.name === metadata.name &&
    (reference.namespace || metadata.namespace) === metadata.namespace
      ? [invalid(`${at}.name`, reference.name, 'an operation cannot wait for itself')]
      : [],
  );
};

/**
 * The normaliser of a kind of operation. It also makes the checks that need the namespace: CEL rules
 * of a CRD do not see it.
 */
export const operationNormaliser =
  (kind: string, step: SpecStep): Normaliser =>
  (input, old) => {
    if (!isJsonObject(input.spec)) return input;
    const metadata = isJsonObject(input.metadata) ? input.metadata : {};
    const errors: FieldError[] = [];
    const spec = step(input.spec, {
      namespace: typeof metadata.namespace === 'string' ? metadata.namespace : undefined,
      old: isJsonObject(old?.spec) ? old.spec : {},
      errors,
    });
    errors.push(...selfReferences(kind, metadata, spec));
    if (errors.length > 0) throw new InvalidObjectError(errors);
    return { ...input, spec: mapObject(spec, 'placement', normalisePlacement) };
  };

/** For operations with one target dataset in `spec.dataset`. */
export const datasetInOwnNamespace: SpecStep = (spec, { namespace, errors }) => {
  const dataset = withNamespace(spec.dataset, namespace);
  if (isForeign(dataset, namespace)) errors.push(foreignDataset('spec.dataset', dataset));
  return dataset === spec.dataset ? spec : { ...spec, dataset };
};
