import type { DataSource, DataSourceStatus } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { clustersOf, type LocatedClusters } from './locality.ts';
import { askedFor } from './provision/made-source.ts';

/** Bounds the list of references in the status. */
const MOST_REFS = 100;

const keyOf = ({ metadata }: DataSourceClaim): string =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

const byKey = (a: DataSourceClaim, b: DataSourceClaim): number => (keyOf(a) < keyOf(b) ? -1 : 1);

const refOf = ({ metadata: { namespace, name, uid } }: DataSourceClaim) => ({
  apiVersion: `${DataSourceClaim.group}/${DataSourceClaim.version}`,
  kind: DataSourceClaim.kind,
  ...present({ namespace }),
  name,
  uid,
});

const readiness = (
  names: readonly string[],
  clusters: LocatedClusters,
): NewCondition<'DataSource', 'Ready'> => {
  if (names.length === 0) {
    const message = 'the locality gives no cluster that is registered';
    return { type: 'Ready', status: 'False', reason: 'NoCluster', message };
  }
  const ready = names.filter((name) => clusters.get(name)?.isReady).length;
  return ready === 0
    ? {
        type: 'Ready',
        status: 'False',
        reason: 'NoReadyCluster',
        message: `none of its clusters is ready, of ${names.length}`,
      }
    : {
        type: 'Ready',
        status: 'True',
        reason: 'DataAvailable',
        message: `ready in ${ready} of ${names.length} clusters`,
      };
};

const REGISTERED: NewCondition<'DataSource', 'Provisioned'> = {
  type: 'Provisioned',
  status: 'True',
  reason: 'Registered',
  message: 'somebody wrote the DataSource',
};

/** The status of a source with these bound claims. */
export const sourceStatus = (
  source: DataSource,
  boundClaims: readonly DataSourceClaim[],
  clusters: LocatedClusters,
  nowMs: number,
): DataSourceStatus => {
  const { metadata, spec, status } = source;
  const names = clustersOf(spec.locality, clusters);
  const { generation } = metadata;
  const observedFields = present({ observedGeneration: generation });
  // A provisioner writes this condition itself for the sources it made.
  const registrations = askedFor(source) === undefined ? [REGISTERED] : [];
  const conditions = [readiness(names, clusters), ...registrations].reduce(
    (all, one) => setCondition(all, { ...one, ...observedFields }, nowMs),
    status?.conditions,
  );
  return {
    clusters: names,
    ...present({ copies: status?.copies }),
    claimRefs: boundClaims.toSorted(byKey).slice(0, MOST_REFS).map(refOf),
    boundClaims: boundClaims.length,
    ...present({ conditions }),
  };
};

/** True if the last claim of a source is gone and its reclaim policy is Delete. */
export const isReclaimed = (
  { spec, status }: DataSource,
  boundClaims: readonly DataSourceClaim[],
): boolean =>
  spec.reclaimPolicy === 'Delete' && boundClaims.length === 0 && (status?.boundClaims ?? 0) > 0;
