import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { isReclaimed, sourceStatus } from '@perigee/scheduling/data/source-status';
import { sameJson } from '@perigee/schema/same-json';
import {
  ClusterLocations,
  claimsBoundTo,
  dataIndexes,
  isLocationChange,
  sourcesLocatedBy,
} from './data-indexes.ts';
import { releaseFinalizers } from './release-finalizers.ts';

const FIELD_MANAGER = 'perigee-data-sources';

/** Deletes a source whose reclaim policy is Delete, guarded by the resource version. */
const reclaim = async (
  source: DataSource,
  { client, events, signal }: ReconcileContext,
): Promise<void> => {
  const { uid, resourceVersion } = source.metadata;
  const preconditions = { uid, resourceVersion };
  events.normal(
    source,
    'DataReclaimed',
    'the last claim is gone, and the reclaim policy is Delete',
  );
  await client.delete(DataSource, refOf(source), { preconditions, signal }).catch(ignoreNotFound);
};

/** Writes the clusters and the claims of data sources, and deletes unclaimed ones. */
export const dataSourceController = (): ControllerDefinition => {
  const locations = new ClusterLocations();
  return defineController({
    name: 'data-sources',
    for: DataSource,
    concurrency: 16,
    watches: [
      watch(DataSourceClaim, {
        atStart: false,
        when: (now, before) => now?.status?.boundDataSource !== before?.status?.boundDataSource,
        map: ({ status }) =>
          status?.boundDataSource === undefined ? [] : [{ name: status.boundDataSource }],
      }),
      watch(MemberCluster, {
        atStart: false,
        when: isLocationChange,
        map: ({ metadata }, cache) => sourcesLocatedBy(cache, metadata.name).map(refOf),
      }),
    ],
    indexes: dataIndexes,
    async reconcile(ref, context) {
      const { cache, client, clock, signal } = context;
      const source = cache(DataSource).get(ref);
      if (source === undefined) return undefined;
      if (source.metadata.deletionTimestamp !== undefined) {
        await releaseFinalizers(DataSource, source, FIELD_MANAGER, context);
        return undefined;
      }
      const boundClaims = claimsBoundTo(cache, source.metadata.name);
      if (isReclaimed(source, boundClaims)) {
        await reclaim(source, context);
        return undefined;
      }
      const status = sourceStatus(source, boundClaims, locations.all(cache), clock.now());
      if (sameJson(status as never, (source.status ?? {}) as never)) return undefined;
      await patchStatus(client, DataSource, source, status, {
        fieldManager: FIELD_MANAGER,
        signal,
      });
      return undefined;
    },
  });
};
