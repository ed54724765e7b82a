import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition, removeCondition, setCondition } from '@perigee/api/values/conditions';
import { ensure } from '@perigee/kube/client/ensure';
import { patchStatus } from '@perigee/kube/client/patch-status';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { adoptedRecord } from '@perigee/scheduling/clusters/inventory/adopted-record';
import {
  SAME_AS,
  sameClusterCondition,
  UNIQUE,
} from '@perigee/scheduling/clusters/inventory/same-cluster';
import {
  CLUSTER_IDS,
  isIdentityChange,
  TARGET_IDS,
  targetKnownAs,
  targetsWithSameId,
} from './same-clusters.ts';
import { FIELD_MANAGER } from './write-target.ts';

const comesOrGoes = (now: object | undefined, before: object | undefined): boolean =>
  now === undefined || before === undefined;

const isTargetChange = (
  now: MemberCluster | undefined,
  before: MemberCluster | undefined,
): boolean => comesOrGoes(now, before) || now?.spec.id !== before?.spec.id;

/**
 * Marks a target whose cluster has a record under another name, so that no work is scheduled there; or removes the
 * mark.
 */
const mark = async (
  target: MemberCluster,
  sameAs: string | undefined,
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const { name, annotations = {} } = target.metadata;
  const { conditions = [] } = target.status ?? {};
  const options = { fieldManager: FIELD_MANAGER, signal };
  let present = target;
  if (annotations[SAME_AS] !== sameAs) {
    const { resourceVersion } = target.metadata;
    const metadata = { resourceVersion, annotations: { [SAME_AS]: sameAs ?? null } };
    const patch = { type: 'merge', body: { metadata } } as const;
    present = await client.patch(MemberCluster, { name }, patch, options);
  }
  const next =
    sameAs === undefined
      ? removeCondition(conditions, UNIQUE)
      : setCondition(conditions, sameClusterCondition(sameAs), clock.now());
  if (next === conditions) return;
  await patchStatus(client, MemberCluster, present, { conditions: next }, options);
  const uniqueCondition = findCondition(next, UNIQUE);
  if (uniqueCondition !== undefined) events.warning(target, 'SameCluster', uniqueCondition.message);
};

/**
 * Creates records for clusters that were joined to the control plane directly. A cluster that has a record under
 * another name gets no second one.
 */
export const clusterAdoptionController = (): ControllerDefinition =>
  defineController({
    name: 'cluster-adoption',
    for: MemberCluster,
    concurrency: 32,
    when: isTargetChange,
    watches: [
      watch(ClusterRecord, { when: comesOrGoes }),
      watch(ClusterRecord, { when: isIdentityChange, map: targetsWithSameId }),
    ],
    indexes: [...CLUSTER_IDS, ...TARGET_IDS],
    async reconcile(ref, context) {
      const { cache, client, events, signal } = context;
      const target = cache(MemberCluster).get(ref);
      if (target === undefined || target.metadata.deletionTimestamp !== undefined) return undefined;
      if (cache(ClusterRecord).get(ref) !== undefined) return undefined;
      const sameAs = targetKnownAs(target, cache);
      await mark(target, sameAs, context);
      if (sameAs !== undefined) return undefined;
      const options = { fieldManager: FIELD_MANAGER, signal };
      const record = await ensure(client, ClusterRecord, adoptedRecord(target), options);
      if (record === undefined) return undefined;
      const from = `taken over from clusters.cluster.karmada.io ${ref.name}`;
      events.normal(record, 'ClusterAdopted', from);
      return undefined;
    },
  });
