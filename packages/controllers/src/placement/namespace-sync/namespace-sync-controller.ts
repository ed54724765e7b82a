import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { Work } from '@perigee/api/kinds/placement/work';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { controllerOf, ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isAlreadyExists, isConflict, isNotFound } from '@perigee/kube/errors';
import { yamlFormat } from '@perigee/kube/yaml/yaml-format';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { textIn } from '@perigee/scheduling/interpreter/fields';
import { applyPolicies } from '@perigee/scheduling/placement/override/apply-policies';
import { workFor } from '@perigee/scheduling/placement/work/desired-work';
import { overrideNotes } from '@perigee/scheduling/placement/work/render-work';
import {
  isSyncedNamespace,
  skipsMembers,
} from '@perigee/scheduling/placement/work/synced-namespace';
import { CLUSTER_BINDING_NAME } from '@perigee/scheduling/placement/work/work-names';
import type { JsonObject } from '@perigee/schema/json';
import { isRetargeted, overrideIndexes, overridesFor } from '../binding-work/override-sources.ts';
import { deleteWork, writeWork } from '../binding-work/write-work.ts';
import { KnownClusters } from '../scheduler/known-clusters.ts';

const CACHE_LAG_MS = 50;
const BY_OWNER = 'owned-by-namespace';

const ownersOf = (work: Work): readonly string[] => {
  const owner = controllerOf(work);
  return owner?.kind === 'Namespace' && owner.apiVersion === 'v1' ? [owner.name] : [];
};

/** The namespaces in the manifests of a Work. */
const namespacesIn = ({ spec }: Work): readonly ObjectRef[] =>
  (spec.workload?.manifests ?? [])
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
    .map((manifest) => ({ name: textIn(manifest, 'metadata', 'name') }));

/** True for namespaces that a policy propagates: this controller skips them. */
const isBound = (work: Work | undefined): boolean =>
  work?.metadata.annotations?.[CLUSTER_BINDING_NAME] !== undefined;

const all = (cache: Caches): readonly ObjectRef[] =>
  cache(Namespace)
    .list()
    .filter(({ metadata }) => isSyncedNamespace(metadata.name))
    .map(({ metadata }) => ({ name: metadata.name }));

const selectedBy = ({ spec }: ClusterOverridePolicy, cache: Caches): readonly ObjectRef[] => {
  const { resourceSelectors = [] } = spec;
  const ours = resourceSelectors.filter(
    ({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace',
  );
  const isForAll = resourceSelectors.length === 0 || ours.some(({ name }) => !name);
  return isForAll ? all(cache) : ours.flatMap(({ name }) => (name ? [{ name }] : []));
};

class NamespaceSync {
  readonly #clusters = new KnownClusters();

  async reconcile({ name }: ObjectRef, context: ReconcileContext) {
    if (!isSyncedNamespace(name)) return undefined;
    const namespace = context.cache(Namespace).get({ name });
    if (namespace === undefined) return this.#cleanUp(name, context);
    if (namespace.metadata.deletionTimestamp !== undefined || skipsMembers(namespace)) {
      return undefined;
    }
    const clusters = context
      .cache(MemberCluster)
      .list()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const results = await Promise.allSettled(
      clusters.map((cluster) => this.#send(namespace, cluster, context)),
    );
    const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    // Another controller creates its execution namespace at about the same time.
    const isPassing = (error: unknown) =>
      isAlreadyExists(error) || isConflict(error) || isNotFound(error);
    const failure = errors.find((error) => !isPassing(error));
    if (failure !== undefined) {
      context.events.warning(namespace, 'SyncWorkFailed', (failure as Error).message);
      throw failure;
    }
    return errors.length === 0 ? undefined : { requeueAfterMs: CACHE_LAG_MS };
  }

  async #send(
    namespace: KubeObject,
    cluster: MemberCluster,
    context: ReconcileContext,
  ): Promise<void> {
    const policies = overridesFor(context.cache, namespace);
    const facts = this.#clusters.factsOf(cluster);
    const object = namespace as KubeObject & JsonObject;
    const overridden = applyPolicies(object, facts, policies, yamlFormat);
    const owner = ownerReferenceTo(namespace, { controller: true, blockOwnerDeletion: true });
    const work = workFor(cluster.metadata.name, overridden.object, {
      labels: {},
      annotations: overrideNotes(overridden),
      owner,
    });
    if (!isBound(context.cache(Work).get(work))) await writeWork(work, context);
  }

  /** For API servers without a garbage collector. */
  async #cleanUp(name: string, context: ReconcileContext): Promise<undefined> {
    const works = context.cache(Work).byIndex(BY_OWNER, name);
    if (works.length === 0) return;
    const { client, signal } = context;
    const namespace = await getOrUndefined(client, Namespace, { name }, { signal });
    if (namespace !== undefined) return;
    await Promise.all(works.map((work) => deleteWork(work, context)));
  }
}

/** Propagates the namespaces of the control plane to every member cluster, before the objects in them. */
export const namespaceSyncController = (): ControllerDefinition => {
  const sync = new NamespaceSync();
  return defineController({
    name: 'namespace-sync',
    for: Namespace,
    concurrency: 4,
    watches: [
      watch(MemberCluster, { map: (_, cache) => all(cache), when: isRetargeted }),
      watch(ClusterOverridePolicy, { map: selectedBy }),
      watch(Work, {
        map: namespacesIn,
        when: (now, before) =>
          now === undefined ||
          before === undefined ||
          now.metadata.generation !== before.metadata.generation,
      }),
    ],
    indexes: [index(Work, BY_OWNER, ownersOf), ...overrideIndexes],
    reconcile: (ref, context) => sync.reconcile(ref, context),
  });
};
