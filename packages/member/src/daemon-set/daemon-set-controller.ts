import { specSelects } from '@perigee/api/values/label-selector';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ControllerRevision } from '@perigee/kubernetes/apps/controller-revision';
import { DaemonSet } from '@perigee/kubernetes/apps/daemon-set';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { templateHash } from '../deployment/new-replica-set.ts';
import { adoptAndRelease } from '../owned/adopt-and-release.ts';
import { controlledByOrFree, controllerIndex } from '../owned/controller-index.ts';
import { EXPECTATIONS_EXPIRE_MS, Expectations } from '../owned/expectations.ts';
import { ownedPods } from '../owned/owned-pods.ts';
import { createPods, deletePods } from '../pods/change-pods.ts';
import { availableAt } from '../pods/pod-state.ts';
import { dropRevisions, ensureRevision, revisionName } from '../revisions/ensure-revision.ts';
import { featureKey, featuresOf } from '../scheduler/node-features.ts';
import { writeStatus } from '../status/write-status.ts';
import { daemonPod } from './daemon-pod.ts';
import { decideDaemonSet } from './decide-daemon-set.ts';

const reconcile = async (
  set: DaemonSet,
  expectations: Expectations,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { client, cache, clock } = context;
  const { spec, metadata } = set;
  const owner = { kind: DaemonSet, object: set };
  const candidates = controlledByOrFree(cache(Pod), set);
  const pods = await adoptAndRelease(client, owner, spec.selector, Pod, candidates);
  const revisions = await ensureRevision(set, spec.template, context);
  const hash = templateHash(spec.template);
  const now = clock.now();
  const { create, remove, status } = decideDaemonSet(set, cache(Node).list(), pods, hash, now);
  await writeStatus(client, DaemonSet, set, status);
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (!expectations.areMet(metadata.uid, clock.monotonic())) {
    return { requeueAfterMs: EXPECTATIONS_EXPIRE_MS };
  }
  const newPods = create.map((node) => daemonPod(set, node, hash));
  const problem =
    (await deletePods(set, remove, expectations, context)) ??
    (await createPods(set, newPods, expectations, context));
  if (problem !== undefined) throw problem;
  const usedRevisions = new Set([revisionName(set, spec.template)]);
  await dropRevisions(revisions, usedRevisions, spec.revisionHistoryLimit ?? 10, context);
  const later = pods
    .map((pod) => availableAt(pod, spec.minReadySeconds ?? 0) ?? 0)
    .filter((moment) => moment > now);
  return later.length === 0 ? undefined : { requeueAfterMs: Math.min(...later) - now };
};

/** Runs one pod of each DaemonSet on each eligible node. */
export const daemonSetController = (): ControllerDefinition => {
  const expectations = new Expectations();
  return defineController({
    name: 'daemonset-controller',
    for: DaemonSet,
    indexes: [controllerIndex(Pod), controllerIndex(ControllerRevision)],
    watches: [
      watch(Node, {
        when: (now, before) =>
          now === undefined ||
          before === undefined ||
          featureKey(featuresOf(now)) !== featureKey(featuresOf(before)),
        map: (_, caches) =>
          caches(DaemonSet)
            .list()
            .map(({ metadata: { namespace = '', name } }) => ({ namespace, name })),
      }),
      ownedPods(DaemonSet, {
        expectations,
        wantedBy: ({ metadata: { namespace, labels } }, caches) =>
          caches(DaemonSet)
            .listNamespace(namespace ?? '')
            .filter(({ spec }) => specSelects(spec.selector, labels)),
      }),
    ],
    reconcile: async (ref, context) => {
      const set = context.cache(DaemonSet).get(ref);
      return set === undefined ? undefined : reconcile(set, expectations, context);
    },
  });
};
