import type { Kind } from '@perigee/api/kind/define-kind';
import { type FieldError, forbidden } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';

/** The labels that name objects for ever, by kind: names are used again, and uids change with a restore. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['PropagationPolicy', 'propagationpolicy.karmada.io/permanent-id'],
  ['ClusterPropagationPolicy', 'clusterpropagationpolicy.karmada.io/permanent-id'],
  ['ResourceBinding', 'resourcebinding.karmada.io/permanent-id'],
  ['ClusterResourceBinding', 'clusterresourcebinding.karmada.io/permanent-id'],
  ['Work', 'work.karmada.io/permanent-id'],
]);

const GROUPS: readonly string[] = ['policy.karmada.io', 'work.karmada.io'];

const labelOf = ({ group, kind }: Kind): string | undefined =>
  GROUPS.includes(group) ? LABELS.get(kind) : undefined;

const labelsOf = (object: JsonObject | undefined): JsonObject => {
  const metadata = object?.metadata;
  const labels = isJsonObject(metadata) ? metadata.labels : undefined;
  return isJsonObject(labels) ? labels : {};
};

/** The object with its id: the present or former one, or a new one. */
export const withPermanentId = (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
  uuid: () => string,
): JsonObject => {
  const label = labelOf(kind);
  if (label === undefined || labelsOf(object)[label]) return object;
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const id = labelsOf(old)[label] || uuid();
  return { ...object, metadata: { ...metadata, labels: { ...labelsOf(object), [label]: id } } };
};

/** A changed id would orphan the resources that were created for the object. */
export const permanentIdProblems = (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] => {
  const label = labelOf(kind);
  if (label === undefined) return [];
  const before = labelsOf(old)[label];
  if (!before || labelsOf(object)[label] === before) return [];
  return [
    forbidden(
      `metadata.labels[${label}]`,
      'it is set when the object is created, and cannot be changed',
    ),
  ];
};
