import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { JsonObject } from '@perigee/schema/json';
import { objectIn, objectsIn, textIn } from '../../interpreter/fields.ts';

/** A version of an object, and the time from which it held; without a time for the oldest version on record. */
export interface Version<T> {
  readonly time?: string;
  /** Absent for the version that marks the deletion. */
  readonly object?: T;
}

/** A component of the control plane, which only acts on requests of others. */
const OURS = /^perigee-(?!cli)/;

const managersOf = (object: KubeObject | undefined): readonly JsonObject[] =>
  objectsIn((object ?? {}) as JsonObject, 'metadata', 'managedFields').filter(
    (entry) => !OURS.test(textIn(entry, 'manager')) && textIn(entry, 'subresource') !== 'status',
  );

/** The last writer of an object, by its managed fields. */
export const lastWriter = (object: KubeObject | undefined): string | undefined => {
  const last = managersOf(object)
    .toSorted((a, b) => (textIn(a, 'time') < textIn(b, 'time') ? -1 : 1))
    .at(-1);
  return last && textIn(last, 'manager');
};

/** The owner of the replicas field; writes through the scale subresource have no time. */
export const scaledBy = (object: KubeObject | undefined): string | undefined => {
  const owner = managersOf(object).find(
    (entry) => objectIn(entry, 'fieldsV1', 'f:spec')['f:replicas'] !== undefined,
  );
  return owner === undefined ? lastWriter(object) : textIn(owner, 'manager');
};

/** The newest version of an object at a time. */
export const asOf = <T>(versions: readonly Version<T>[], at: string | undefined): T | undefined =>
  versions.findLast(({ time }) => time === undefined || at === undefined || time <= at)?.object;
