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
import { findSource, type SourceChoice } from '@perigee/scheduling/data/choose-source';
import { claimStatus } from '@perigee/scheduling/data/claim-status';
import { isNowhere } from '@perigee/scheduling/data/match-source';
import { sameJson } from '@perigee/schema/same-json';
import {
  ClusterLocations,
  claimsBoundTo,
  claimsWanting,
  dataIndexes,
  sourcesOffering,
} from './data-indexes.ts';
import { releaseFinalizers } from './release-finalizers.ts';

const FIELD_MANAGER = 'perigee-data-scheduler';

/** True if a source may match other claims than before. The location only matters in so far as there is one. */
const isOtherOffer = (now: DataSource | undefined, before: DataSource | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
  now.metadata.uid !== before.metadata.uid ||
  isNowhere(now.spec.locality) !== isNowhere(before.spec.locality) ||
  !sameJson(now.spec.attributes, before.spec.attributes);

const report = (
  claim: DataSourceClaim,
  choice: SourceChoice,
  { events }: ReconcileContext,
): void => {
  const before = claim.status?.boundDataSource;
  const now = choice.source?.metadata.name;
  if (now === before) return;
  if (now !== undefined) events.normal(claim, 'Bound', `bound to the DataSource ${now}`);
  else events.warning(claim, 'Unbound', `the DataSource ${before} is gone or no longer fits`);
};

/** Binds claims to matching data sources. */
export const dataSchedulerController = (): ControllerDefinition => {
  const locations = new ClusterLocations();
  return defineController({
    name: 'data-scheduler',
    for: DataSourceClaim,
    concurrency: 64,
    watches: [
      watch(DataSource, {
        atStart: false,
        when: isOtherOffer,
        map: (source, cache) =>
          [...claimsBoundTo(cache, source.metadata.name), ...claimsWanting(cache, source)].map(
            refOf,
          ),
      }),
    ],
    reads: [MemberCluster],
    indexes: dataIndexes,
    async reconcile(ref, context) {
      const { cache, client, clock, signal } = context;
      const claim = cache(DataSourceClaim).get(ref);
      if (claim === undefined) return undefined;
      if (claim.metadata.deletionTimestamp !== undefined) {
        await releaseFinalizers(DataSourceClaim, claim, FIELD_MANAGER, context);
        return undefined;
      }
      const offering = (key: string) => sourcesOffering(cache, key);
      const choice = findSource(claim, offering, locations.all(cache));
      const status = claimStatus(claim, choice, clock.now());
      if (sameJson(status as never, (claim.status ?? {}) as never)) return undefined;
      const options = { fieldManager: FIELD_MANAGER, signal };
      const next = { boundDataSource: null, ...status };
      await patchStatus(client, DataSourceClaim, claim, next, options);
      report(claim, choice, context);
      return undefined;
    },
  });
};
