import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { clusterOfExecutionNamespace, executionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import {
  drainedCondition,
  type RemainingWork,
  remainingWork,
} from '@perigee/scheduling/clusters/lifecycle/drain';
import { isAbandoned } from '@perigee/scheduling/clusters/lifecycle/going-cluster';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { whyUndecided } from '@perigee/scheduling/placement/scheduler/standing';
import { targetsOf } from '@perigee/scheduling/placement/work/targets';
import { WORK_FINALIZER } from '@perigee/scheduling/placement/work/work-names';
import { workOrigin } from '@perigee/scheduling/placement/work/work-origin';
import { isReady } from '../execution/served-clusters.ts';

const FINALIZER = 'karmada.io/cluster-controller';
const FIELD_MANAGER = 'perigee-cluster-drain';
const CHECK_MS = 1000;
const BY_TARGET = 'target-cluster';

const BINDINGS = [ResourceBinding, ClusterResourceBinding] as readonly BindingKind[];

/** Every cluster that a binding targets or is evicted from. */
const clustersOf = ({ spec }: Binding): readonly string[] => [
  ...new Set([
    ...targetsOf(spec).map(({ name }) => name),
    ...(spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster),
  ]),
];

/** The work that has to leave a cluster before its removal. */
const remainingOn = (cluster: string, cache: Caches): readonly RemainingWork[] => [
  ...BINDINGS.flatMap((kind) => cache(kind).byIndex(BY_TARGET, cluster)).map((binding) =>
    remainingWork(binding, cluster, whyUndecided(binding)),
  ),
  ...cache(Work)
    .listNamespace(executionNamespace(cluster))
    .filter(
      (work) => work.metadata.deletionTimestamp === undefined && workOrigin(work).kind === 'hand',
    )
    .map(({ metadata }) => ({
      what: `Work ${objectKey(metadata)}`,
      why: 'it was written by hand for this cluster',
      isLeaving: false,
    })),
];

/** By force, only bindings are waited for, until they no longer name the cluster. */
const isStillNamed = (cluster: string, cache: Caches): boolean =>
  BINDINGS.some((kind) =>
    cache(kind)
      .byIndex(BY_TARGET, cluster)
      .some(({ spec }) => (spec.clusters ?? []).some(({ name }) => name === cluster)),
  );

const open = async (cluster: MemberCluster, context: ReconcileContext): Promise<void> => {
  const { cache, client, events, signal } = context;
  const finalizers = addFinalizer(cluster.metadata.finalizers, FINALIZER);
  await setFinalizers(client, MemberCluster, cluster, finalizers, { signal });
  const name = executionNamespace(cluster.metadata.name);
  if (cache(Namespace).get({ name }) !== undefined) return;
  try {
    const labels = { 'karmada.io/system': 'true' };
    const newNamespace = await ensure(
      client,
      Namespace,
      { metadata: { name, labels } },
      { signal },
    );
    if (newNamespace === undefined) return;
  } catch (error) {
    if (error instanceof Error)
      events.warning(cluster, 'CreateExecutionSpaceFailed', error.message);
    throw error;
  }
  const message = `Created execution space(${name}) for cluster(${cluster.metadata.name}).`;
  events.normal(cluster, 'CreateExecutionSpaceSucceed', message);
};

const abandonWorks = async (namespace: string, context: ReconcileContext): Promise<void> => {
  const { cache, client, signal } = context;
  for (const work of cache(Work).listNamespace(namespace)) {
    const nextFinalizers = removeFinalizer(work.metadata.finalizers, WORK_FINALIZER);
    await setFinalizers(client, Work, work, nextFinalizers, { signal });
  }
};

/** Writes the condition Drained: the work that a terminating cluster still waits for. */
const reportRemaining = async (
  cluster: MemberCluster,
  remainingWorks: readonly RemainingWork[],
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const { status } = cluster;
  const condition = drainedCondition(remainingWorks);
  const before = findCondition(status?.conditions, condition.type);
  const conditions = setCondition(status?.conditions, condition, clock.now());
  if (conditions === status?.conditions) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, MemberCluster, cluster, { conditions }, options);
  if (condition.reason === 'WorkStays' && before?.reason !== 'WorkStays') {
    events.warning(cluster, 'WorkStays', condition.message);
  }
};

const removeNamespace = async (
  cluster: MemberCluster,
  name: string,
  { client, events, signal }: ReconcileContext,
): Promise<void> => {
  await client.delete(Namespace, { name }, { signal }).catch(ignoreNotFound);
  const message = `Removed execution space for cluster(${cluster.metadata.name}).`;
  events.normal(cluster, 'RemoveExecutionSpaceSucceed', message);
};

const close = async (cluster: MemberCluster, context: ReconcileContext) => {
  const { cache, client, signal } = context;
  if (!hasFinalizer(cluster, FINALIZER)) return undefined;
  const { name: clusterName, finalizers } = cluster.metadata;
  if (isAbandoned(cluster)) {
    if (isStillNamed(clusterName, cache)) return { requeueAfterMs: CHECK_MS };
  } else {
    const remainingWorks = remainingOn(clusterName, cache);
    if (remainingWorks.length > 0) {
      await reportRemaining(cluster, remainingWorks, context);
      return { requeueAfterMs: CHECK_MS };
    }
  }
  const name = executionNamespace(clusterName);
  const namespace = cache(Namespace).get({ name });
  if (namespace !== undefined) {
    // No controller can clean up the cluster: its agent does not answer, or a user forced the removal.
    const isSilent = cluster.spec.syncMode === 'Pull' && !isReady(cluster);
    if (isSilent || isAbandoned(cluster)) await abandonWorks(name, context);
    if (namespace.metadata.deletionTimestamp === undefined) {
      await removeNamespace(cluster, name, context);
    }
    return { requeueAfterMs: CHECK_MS };
  }
  const nextFinalizers = removeFinalizer(finalizers, FINALIZER);
  await setFinalizers(client, MemberCluster, cluster, nextFinalizers, { signal });
  return undefined;
};

const clusterRefOf = (namespace: string): readonly ObjectRef[] => {
  const name = clusterOfExecutionNamespace(namespace);
  return name === undefined ? [] : [{ name }];
};

/**
 * Keeps the execution namespace of each cluster, and holds a terminating cluster by a finalizer until all
 * work has left it.
 */
export const executionNamespacesController = (): ControllerDefinition =>
  defineController({
    name: 'execution-namespaces',
    for: MemberCluster,
    // Concurrent writes share a flush, so that a fleet is added or removed in seconds.
    concurrency: 32,
    when: (now, before) =>
      before === undefined ||
      now?.metadata.generation !== before.metadata.generation ||
      now?.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
      isAbandoned(now) !== isAbandoned(before),
    watches: [
      watch(Namespace, {
        map: ({ metadata }) => clusterRefOf(metadata.name),
        when: (now, before) => now === undefined || before === undefined,
      }),
    ],
    reads: [Work],
    indexes: BINDINGS.map((kind) => index(kind, BY_TARGET, clustersOf)),
    async reconcile(ref, context) {
      const cluster = context.cache(MemberCluster).get(ref);
      if (cluster === undefined) return undefined;
      if (cluster.metadata.deletionTimestamp !== undefined) return close(cluster, context);
      await open(cluster, context);
      return undefined;
    },
  });
