import type { JsonObject } from '@perigee/api/json';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Labels } from '@perigee/api/values/label-requirement';
import { carryData } from '@perigee/scheduling/data/carry-data';
import { claimData } from '@perigee/scheduling/data/claim-data';
import { claimKey, claimsOf } from '@perigee/scheduling/data/concerned-work';
import { locatedCluster } from '@perigee/scheduling/data/locality';
import { metaOf } from '../../registry/metadata.ts';
import { keyOf, type Registry, tableOf } from '../../registry/registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { TableView } from './table-view.ts';

type Place = Pick<Registry, 'store' | 'cluster' | 'resources'>;

const groupOf = (apiVersion: string): string => apiVersion.split('/').toReversed()[1] ?? '';

/** Finds resources by their kind: in whatever version, objects are stored in the same table. */
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

/**
 * Lets bindings carry the data of their claims, by what is stored at the moment of the write: a claim that was
 * acknowledged before counts, whoever writes the binding.
 */
export const storedBindingData = (place: Place) => {
  const { store, cluster } = place;
  const table = ({ group, plural }: ResourceKind) => `${cluster}/${group}/${plural}`;
  const claimTable = table(DataSourceClaim);
  const sourceTable = table(DataSource);
  const clusters = new TableView(table(MemberCluster), (object) =>
    locatedCluster(object as never as MemberCluster),
  );
  const claims = new TableView(
    claimTable,
    (object) => object as never as DataSourceClaim,
    (claim) => claimKey(claim),
  );
  /** The newest state, also one that is still on its way to the disk. */
  const newest = (from: string, key: string): JsonObject | undefined => {
    const pending = store.pending(from).findLast((entry) => entry.key === key);
    return (pending ?? store.get(from, key))?.object;
  };
  const finder = {
    byKey: (key: string) => claims.byIndex(key),
    byName: (namespace: string, name: string) => claims.get(keyOf(namespace, name)),
  };
  const world = {
    source: (name: string) => newest(sourceTable, name) as DataSource | undefined,
    clusters: () => clusters.refresh(store).values,
  };
  const findKind = kindFinder(place);
  const labelsOf = (resource: BoundResource): Labels | undefined => {
    const kind = findKind(resource);
    if (kind === undefined) return undefined;
    const found = newest(
      tableOf(place as Registry, kind),
      keyOf(resource.namespace, resource.name),
    );
    return found && (metaOf(found).labels ?? {});
  };
  return (object: JsonObject, old: JsonObject | undefined): JsonObject => {
    const [draft, before] = [object, old] as never as [
      ResourceBinding,
      ResourceBinding | undefined,
    ];
    // An object that is refused anyway, for what it lacks.
    if (draft.spec?.resource === undefined) return object;
    claims.refresh(store);
    const labels = claims.values.size === 0 ? undefined : labelsOf(draft.spec.resource);
    // What it carries already is read from what is stored: nobody else is believed.
    const binding = { metadata: before?.metadata ?? {}, spec: draft.spec };
    const found = claims.values.size === 0 ? [] : claimsOf({ binding, labels }, finder);
    const data = found.map((claim) => claimData(claim, world));
    return carryData(draft, before, data) as never as JsonObject;
  };
};
