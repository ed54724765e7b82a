import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { keyOf, type Registry, tableOf } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';

export type Place = Pick<Registry, 'store' | 'cluster' | 'resources'>;

/** Objects in their newest state, also one that is still on its way to the disk. */
export interface StoredObjects {
  readonly table: (kind: ResourceKind) => string;
  readonly newest: (table: string, key: string) => JsonObject | undefined;
  /** The template of a binding. */
  readonly template: (resource: BoundResource) => JsonObject | undefined;
}

const groupOf = (apiVersion: string): string => apiVersion.split('/').toReversed()[1] ?? '';

/** Finds resources by kind, in any version: all versions share a table. */
const kindFinder = ({ resources }: Place) => {
  let values: readonly ServedResource[] | undefined;
  let byKind = new Map<string, ServedResource>();
  return ({ apiVersion, kind }: BoundResource): ServedResource | undefined => {
    if (values !== resources.values()) {
      values = resources.values();
      byKind = new Map(values.map((one) => [`${one.group}/${one.kind}`, one]));
    }
    return byKind.get(`${groupOf(apiVersion)}/${kind}`);
  };
};

export const storedObjects = (place: Place): StoredObjects => {
  const { store, cluster } = place;
  const newest = (from: string, key: string): JsonObject | undefined => {
    const pendingEntry = store.pending(from).findLast((entry) => entry.key === key);
    return (pendingEntry ?? store.get(from, key))?.object;
  };
  const findKind = kindFinder(place);
  return {
    table: ({ group, plural }) => `${cluster}/${group}/${plural}`,
    newest,
    template: (resource) => {
      const kind = findKind(resource);
      return kind === undefined
        ? undefined
        : newest(tableOf(place as Registry, kind), keyOf(resource.namespace, resource.name));
    },
  };
};
