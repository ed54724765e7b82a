import { type FieldError, InvalidObjectError, invalid } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { Normaliser } from '../../kind/define-kind.ts';

/** Spellings of the Fluid design that all data operations share. */
export const operationSpellings = {
  'spec.runAfter.kind': ['operationKind'],
  'status.waitingFor': ['waitFor'],
};

/** What a kind of operation does to its spec; what is wrong with it goes to `errors`. */
export type SpecStep = (
  spec: JsonObject,
  context: {
    readonly namespace: string | undefined;
    readonly old: JsonObject;
    readonly errors: FieldError[];
  },
) => JsonObject;

/** The dataset of an operation is in the operation's own namespace unless it says otherwise. */
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

const selfReferences = (
  kind: string,
  metadata: JsonObject,
  runAfter: JsonValue | undefined,
): FieldError[] => {
  if (!isJsonObject(runAfter) || typeof metadata.name !== 'string') return [];
  const strategy = isJsonObject(runAfter.affinityStrategy) ? runAfter.affinityStrategy : {};
  const references: readonly (readonly [string, JsonValue | undefined])[] = [
    ['spec.runAfter', runAfter],
    ['spec.runAfter.affinityStrategy.dependOn', strategy.dependOn],
  ];
  return references.flatMap(([field, reference]) =>
    isJsonObject(reference) &&
    reference.kind === kind &&
    reference.name === metadata.name &&
    (reference.namespace || metadata.namespace) === metadata.namespace
      ? [invalid(`${field}.name`, reference.name, 'an operation cannot wait for itself')]
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
    errors.push(...selfReferences(kind, metadata, spec.runAfter));
    if (errors.length > 0) throw new InvalidObjectError(errors);
    return { ...input, spec };
  };

/** For operations with one target dataset in `spec.dataset`. */
export const datasetInOwnNamespace: SpecStep = (spec, { namespace, errors }) => {
  const dataset = withNamespace(spec.dataset, namespace);
  if (isForeign(dataset, namespace)) errors.push(foreignDataset('spec.dataset', dataset));
  return dataset === spec.dataset ? spec : { ...spec, dataset };
};
