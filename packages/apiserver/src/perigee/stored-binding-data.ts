import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Labels } from '@perigee/api/values/label-requirement';
import { claimKey } from '@perigee/scheduling/data/concerned-work';
import { locatedCluster } from '@perigee/scheduling/data/locality';
import { withClaimedData } from '@perigee/scheduling/gate/admit-binding';
import type { JsonObject } from '@perigee/schema/json';
import { metaOf } from '../registry/metadata.ts';
import { keyOf } from '../registry/registry.ts';
import { TableView } from '../store/table-view.ts';
import { type Place, storedObjects } from './stored-objects.ts';

/**
 * Adds the data of their claims to bindings, from the state of the store at the write: it includes every
 * acknowledged claim, whoever writes the binding.
 */
export const storedBindingData = (place: Place) => {
  const { store } = place;
  const { table, newest, template } = storedObjects(place);
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
  const finder = {
    byKey: (key: string) => claims.byIndex(key),
    byName: (namespace: string, name: string) => claims.get(keyOf(namespace, name)),
  };
  const world = {
    source: (name: string) => newest(sourceTable, name) as DataSource | undefined,
    clusters: () => clusters.refresh(store).values,
  };
  const labelsOf = (resource: BoundResource): Labels | undefined => {
    const templateObject = claims.values.size === 0 ? undefined : template(resource);
    return templateObject && (metaOf(templateObject).labels ?? {});
  };
  return (object: JsonObject, old: JsonObject | undefined): JsonObject => {
    const [draft, before] = [object, old] as never as [
      ResourceBinding,
      ResourceBinding | undefined,
    ];
    // An object that is refused anyway, for what it lacks.
    if (draft.spec?.resource === undefined) return object;
    claims.refresh(store);
    return withClaimedData(draft, before, { claims: finder, world, labelsOf }) as never;
  };
};
