import { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { policyTaints, targetsCluster } from '@perigee/scheduling/clusters/health/policy-taints';
import { sameJson } from '@perigee/schema/same-json';
import { writeTaints } from './write-taints.ts';

const FIELD_MANAGER = 'perigee-cluster-taint-policy';

const conditionsOf = ({ status }: MemberCluster) =>
  (status?.conditions ?? []).map(({ type, status: value, lastTransitionTime }) => [
    type,
    value,
    lastTransitionTime,
  ]);

/** The fields by which policies select clusters. */
const placeOf = ({ metadata: { labels }, spec: { provider, region, zones } }: MemberCluster) => [
  labels,
  provider,
  region,
  zones,
];

/**
 * Ignores changes of taints, so that two controllers that disagree about a taint do not undo each other's writes
 * for ever. A taint removed by hand comes back with the next change of a condition, or the next resync.
 */
const isChange = (now: MemberCluster | undefined, before: MemberCluster | undefined): boolean =>
  now !== undefined &&
  (before === undefined ||
    !sameJson(conditionsOf(now), conditionsOf(before)) ||
    !sameJson(placeOf(now), placeOf(before)));

const messageOf = (name: string, taints: string): string =>
  `Update Cluster(${name}) with taints(${taints}) succeed`;

/** Adds and removes the taints of ClusterTaintPolicies. */
export const clusterTaintPolicyController = (): ControllerDefinition =>
  defineController({
    name: 'cluster-taint-policy',
    for: MemberCluster,
    when: isChange,
    concurrency: 8,
    watches: [
      watch(ClusterTaintPolicy, {
        atStart: false,
        when: (now, before) => now !== undefined && !sameJson(now.spec, before?.spec),
        map: (policy, cache) =>
          cache(MemberCluster)
            .list()
            .filter((cluster) => targetsCluster(policy, cluster))
            .map(({ metadata: { name } }) => ({ name })),
      }),
    ],
    async reconcile(ref, context: ReconcileContext) {
      const { cache, clock } = context;
      const cluster = cache(MemberCluster).get(ref);
      if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined)
        return undefined;
      const policies = cache(ClusterTaintPolicy).list();
      const { taints, nextMs } = policyTaints(cluster, policies, clock.now());
      const about = { fieldManager: FIELD_MANAGER, messageOf };
      await writeTaints(cluster, taints, about, context);
      return nextMs === undefined ? undefined : { requeueAfterMs: nextMs };
    },
  });
