import { Cluster } from '@perigee/api/kinds/karmada/cluster';
import { ClusterResourceBinding } from '@perigee/api/kinds/karmada/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/karmada/resource-binding';
import { Work } from '@perigee/api/kinds/karmada/work';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { clusterOfExecutionNamespace, executionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kube/kinds/core-kinds';
import { ABANDON } from '@perigee/scheduling/inventory/execution-target';
import { WORK_FINALIZER } from '@perigee/scheduling/work/work-names';
import { isReady } from '../execution/served-clusters.ts';
import type { Binding, BindingKind } from '../scheduler/binding.ts';

const FINALIZER = 'karmada.io/cluster-controller';
const CHECK_MS = 1000;
const BY_TARGET = 'target-cluster';

const BINDINGS = [ResourceBinding, ClusterResourceBinding] as readonly BindingKind[];

const targetsOf = ({ spec }: Binding): readonly string[] =>
  (spec.clusters ?? []).map(({ name }) => name);

const isTargeted = (cluster: string, cache: Caches): boolean =>
  BINDINGS.some((kind) => cache(kind).byIndex(BY_TARGET, cluster).length > 0);

const writeFinalizers = async (
  { metadata: { name, resourceVersion } }: Cluster,
  finalizers: readonly string[],
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const body = { metadata: { resourceVersion, finalizers } };
  await client.patch(Cluster, { name }, { type: 'merge', body }, { signal });
};

const open = async (cluster: Cluster, context: ReconcileContext): Promise<void> => {
  const { cache, client, events, signal } = context;
  if (!hasFinalizer(cluster, FINALIZER)) {
    await writeFinalizers(cluster, addFinalizer(cluster.metadata.finalizers, FINALIZER), context);
  }
  const name = executionNamespace(cluster.metadata.name);
  if (cache(Namespace).get({ name }) !== undefined) return;
  try {
    const labels = { 'karmada.io/system': 'true' };
    await client.create(Namespace, { metadata: { name, labels } }, { signal });
  } catch (error) {
    if (isAlreadyExists(error)) return;
    if (error instanceof Error)
      events.warning(cluster, 'CreateExecutionSpaceFailed', error.message);
    throw error;
  }
  const message = `Created execution space(${name}) for cluster(${cluster.metadata.name}).`;
  events.normal(cluster, 'CreateExecutionSpaceSucceed', message);
};

/** Nobody is there to take out what is in the cluster: its agent keeps silent, or a user said so. */
const isBeyondReach = (cluster: Cluster): boolean =>
  (cluster.spec.syncMode === 'Pull' && !isReady(cluster)) ||
  cluster.metadata.annotations?.[ABANDON] !== undefined;

const abandonWorks = async (namespace: string, context: ReconcileContext): Promise<void> => {
  const { cache, client, signal } = context;
  for (const { metadata } of cache(Work).listNamespace(namespace)) {
    const { name, resourceVersion, finalizers = [] } = metadata;
    const left = removeFinalizer(finalizers, WORK_FINALIZER);
    if (left === finalizers) continue;
    const body = { metadata: { resourceVersion, finalizers: left } };
    await client.patch(Work, { namespace, name }, { type: 'merge', body }, { signal });
  }
};

const close = async (cluster: Cluster, context: ReconcileContext) => {
  const { cache, client, events, signal } = context;
  if (!hasFinalizer(cluster, FINALIZER)) return undefined;
  const { name: clusterName, finalizers = [] } = cluster.metadata;
  const name = executionNamespace(clusterName);
  const namespace = cache(Namespace).get({ name });
  if (namespace !== undefined) {
    if (isBeyondReach(cluster)) await abandonWorks(name, context);
    if (namespace.metadata.deletionTimestamp === undefined) {
      await client.delete(Namespace, { name }, { signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      const message = `Removed execution space for cluster(${clusterName}).`;
      events.normal(cluster, 'RemoveExecutionSpaceSucceed', message);
    }
    return { requeueAfterMs: CHECK_MS };
  }
  // The scheduler moves away what is there first.
  if (isTargeted(clusterName, cache)) return { requeueAfterMs: CHECK_MS };
  await writeFinalizers(cluster, removeFinalizer(finalizers, FINALIZER), context);
  return undefined;
};

const clusterRefOf = (namespace: string): readonly ObjectRef[] => {
  const name = clusterOfExecutionNamespace(namespace);
  return name === undefined ? [] : [{ name }];
};

/**
 * Keeps for each cluster the namespace that its Works are in, and keeps a cluster that is to go until all
 * of them are gone.
 */
export const executionNamespacesController = (): ControllerDefinition =>
  defineController({
    name: 'execution-namespaces',
    for: Cluster,
    when: (now, before) =>
      before === undefined ||
      now?.metadata.generation !== before.metadata.generation ||
      now?.metadata.deletionTimestamp !== before.metadata.deletionTimestamp,
    watches: [
      watch(Namespace, {
        map: ({ metadata }) => clusterRefOf(metadata.name),
        when: (now, before) => now === undefined || before === undefined,
      }),
    ],
    reads: [Work],
    indexes: BINDINGS.map((kind) => index(kind, BY_TARGET, targetsOf)),
    async reconcile(ref, context) {
      const cluster = context.cache(Cluster).get(ref);
      if (cluster === undefined) return undefined;
      if (cluster.metadata.deletionTimestamp !== undefined) return close(cluster, context);
      await open(cluster, context);
      return undefined;
    },
  });
