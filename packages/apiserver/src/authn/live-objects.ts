import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { keyOf, type Registry } from '../registry/registry.ts';

/** The kinds of the core group that a token can depend on. */
export type BoundPlural = 'serviceaccounts' | 'pods' | 'secrets' | 'nodes';

/** An object that is there now. */
export interface LiveObject {
  readonly name: string;
  readonly uid: string;
  /** When its deletion was asked for, in milliseconds since the epoch. */
  readonly deletedAt?: number;
  readonly object: JsonObject;
}

/** Finds the newest state of what a token depends on; without a namespace, nodes. */
export type LiveObjects = (
  plural: BoundPlural,
  namespace: string | undefined,
  name: string,
) => LiveObject | undefined;

export const liveObjects =
  ({ store, cluster }: Pick<Registry, 'store' | 'cluster'>): LiveObjects =>
  (plural, namespace, name) => {
    const object = store.get(`${cluster}//${plural}`, keyOf(namespace, name))?.object;
    if (object === undefined) return undefined;
    const { uid = '', deletionTimestamp } = object.metadata as {
      readonly uid?: string;
      readonly deletionTimestamp?: string;
    };
    const deletedAt = deletionTimestamp === undefined ? undefined : parseTime(deletionTimestamp);
    return { name, uid, object, ...present({ deletedAt }) };
  };
