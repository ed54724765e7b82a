import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { carryData } from '@perigee/scheduling/data/carry-data';
import { claimData } from '@perigee/scheduling/data/claim-data';
import { claimsOf } from '@perigee/scheduling/data/concerned-work';
import { clustersOf, locatedCluster } from '@perigee/scheduling/data/locality';
import { RecentMap } from '@perigee/schema/recent-map';
import { sameJson } from '@perigee/schema/same-json';
import { UncarriedDataError } from '../errors.ts';
import { bindingIndexes, bindingsCarrying, bindingsConcernedBy } from './claimed-bindings.ts';
import {
  ClusterLocations,
  claimFinder,
  claimsBoundTo,
  dataIndexes,
  dataWorld,
  isLocationChange,
  sourcesLocatedBy,
} from './data-indexes.ts';
import { WorkLabels } from './work-labels.ts';

export interface DataPlacementOptions {
  readonly client: Client;
  readonly clock: Clock;
}

const FIELD_MANAGER = 'perigee-data-placement';
const LATE_MS = 5000;
const MOST_UNCHANGED = 1000;

/** Bindings that carry the data of a source. */
const carriersOf = (source: DataSource, cache: Caches): readonly ObjectRef[] =>
  claimsBoundTo(cache, source.metadata.name)
    .flatMap((claim) => bindingsCarrying(cache, claim))
    .map(refOf);

/** True if the source's status is wrong about this cluster. */
const isMoved = ({ spec, status }: DataSource, name: string, cache: Caches): boolean => {
  const cluster = cache(MemberCluster).get({ name });
  const there = cluster === undefined ? [] : ([[name, locatedCluster(cluster)]] as const);
  const isThere = clustersOf(spec.locality, new Map(there)).length > 0;
  return isThere !== (status?.clusters ?? []).includes(name);
};

const isOtherSource = (now: DataSource | undefined, before: DataSource | undefined): boolean =>
  now?.metadata.uid !== before?.metadata.uid ||
  now?.metadata.generation !== before?.metadata.generation ||
  now?.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
  !sameJson(now?.status?.clusters, before?.status?.clusters);

/** Ignores changes of the status only. */
const isOtherBinding = (
  now: ResourceBinding | undefined,
  before: ResourceBinding | undefined,
): boolean =>
  now !== undefined &&
  (now.metadata.generation !== before?.metadata.generation ||
    !sameJson(now.metadata.annotations, before?.metadata.annotations));

/**
 * Rewrites bindings whose placement does not carry the current data of their claims. Admission computes the data
 * during the write, so that other writers cannot lose it.
 */
export const dataPlacementController = ({
  client: reader,
  clock,
}: DataPlacementOptions): ControllerDefinition => {
  const locations = new ClusterLocations();
  const labels = new WorkLabels(reader, clock);
  /** Bindings that the server returned unchanged. */
  const unchangedVersions = new RecentMap<string, string>(MOST_UNCHANGED);
  return defineController({
    name: 'data-placement',
    for: ResourceBinding,
    when: isOtherBinding,
    concurrency: 64,
    watches: [
      labels,
      watch(DataSourceClaim, {
        atStart: false,
        when: (now, before) => now?.metadata.generation !== before?.metadata.generation,
        map: (claim, cache) => bindingsConcernedBy(cache, claim).map(refOf),
      }),
      watch(DataSourceClaim, {
        atStart: false,
        when: (now, before) => now?.status?.boundDataSource !== before?.status?.boundDataSource,
        map: (claim, cache) => bindingsCarrying(cache, claim).map(refOf),
      }),
      watch(DataSource, { atStart: false, when: isOtherSource, map: carriersOf }),
      watch(MemberCluster, {
        atStart: false,
        when: isLocationChange,
        map: ({ metadata: { name } }, cache) =>
          sourcesLocatedBy(cache, name)
            .filter((source) => isMoved(source, name, cache))
            .flatMap((source) => carriersOf(source, cache)),
      }),
    ],
    indexes: [...dataIndexes, ...bindingIndexes],
    async reconcile(ref, { cache, client, signal }): Promise<ReconcileResult> {
      const binding = cache(ResourceBinding).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) {
        return undefined;
      }
      const { uid, resourceVersion } = binding.metadata;
      const work = { binding, labels: labels.of(binding.spec.resource) };
      const world = dataWorld(cache, locations);
      const data = claimsOf(work, claimFinder(cache)).map((claim) => claimData(claim, world));
      if (carryData(binding, binding, data) === binding) return undefined;
      const patch = { type: 'merge', body: { metadata: { resourceVersion } } } as const;
      const options = { fieldManager: FIELD_MANAGER, signal };
      const updatedBinding = await client.patch(ResourceBinding, ref, patch, options);
      if (updatedBinding.metadata.resourceVersion !== resourceVersion) return undefined;
      // The server's cache may be newer than ours. If that persists, the server does not call our admission.
      if (unchangedVersions.get(uid) === resourceVersion) throw new UncarriedDataError();
      unchangedVersions.set(uid, resourceVersion);
      return { requeueAfterMs: LATE_MS };
    },
  });
};
