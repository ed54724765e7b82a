import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
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
const lastWriter = (object: KubeObject | undefined): string | undefined => {
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

/** Times of fields have no fractions, and a write takes a moment. */
const SLACK_MS = 2000;

/** A write that gave an object what it says. */
export interface Authorship {
  readonly time?: string;
  /** Absent if nobody knows. */
  readonly by?: string;
}

/**
 * The write that brought the generation of an object at a time. Who only takes fields away is noted nowhere; then the
 * last writer on record is older than that write, and nobody is named.
 */
export const authorship = (
  versions: readonly Version<KubeObject>[],
  at: string | undefined,
): Authorship | undefined => {
  const generation = asOf(versions, at)?.metadata.generation;
  const first = versions.find(({ object }) => object?.metadata.generation === generation);
  if (first?.object === undefined) return undefined;
  const { time, object } = first;
  const last = managersOf(object)
    .map((entry) => textIn(entry, 'time'))
    .toSorted()
    .at(-1);
  const isOlder = time !== undefined && Date.parse(last ?? '') < Date.parse(time) - SLACK_MS;
  return present({ time, by: isOlder ? undefined : lastWriter(object) });
};

/** The newest version of an object at a time. */
export const asOf = <T>(versions: readonly Version<T>[], at: string | undefined): T | undefined =>
  versions.findLast(({ time }) => time === undefined || at === undefined || time <= at)?.object;
