import { specSelects } from '@perigee/api/values/label-selector';
import { ensure } from '@perigee/kube/client/ensure';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { ControllerRevision } from '@perigee/kubernetes/apps/controller-revision';
import { StatefulSet } from '@perigee/kubernetes/apps/stateful-set';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod, type PodTemplate } from '@perigee/kubernetes/core/pod';
import { adoptAndRelease } from '../owned/adopt-and-release.ts';
import { controlledByOrFree, controllerIndex } from '../owned/controller-index.ts';
import { EXPECTATIONS_EXPIRE_MS, Expectations } from '../owned/expectations.ts';
import { ownedPods } from '../owned/owned-pods.ts';
import { createPods, deletePods } from '../pods/change-pods.ts';
import { availableAt } from '../pods/pod-state.ts';
import { dropRevisions, ensureRevision, revisionName } from '../revisions/ensure-revision.ts';
import { writeStatus } from '../status/write-status.ts';
import {
  decideStatefulSet,
  firstOrdinal,
  partitionOf,
  statefulSetStatus,
} from './decide-stateful-set.ts';
import { claimsFor, revisionOf, statefulPod } from './stateful-pod.ts';

const ensureClaims = async (
  set: StatefulSet,
  ordinal: number,
  { client, cache }: ReconcileContext,
): Promise<void> => {
  for (const claim of claimsFor(set, ordinal)) {
    const { name = '', namespace = '' } = claim.metadata;
    if (cache(PersistentVolumeClaim).get({ name, namespace }) !== undefined) continue;
    await ensure(client, PersistentVolumeClaim, claim);
  }
};

/** Below the partition, pods keep the previous revision. */
const templateFor = (
  set: StatefulSet,
  ordinal: number,
  revisions: readonly ControllerRevision[],
): { readonly template: PodTemplate; readonly revision: string } => {
  const { template } = set.spec;
  const revision = revisionName(set, template);
  const { currentRevision = revision } = set.status ?? {};
  if (ordinal >= firstOrdinal(set) + partitionOf(set)) return { template, revision };
  const before = revisions.find(({ metadata }) => metadata.name === currentRevision);
  if (before?.data === undefined) return { template, revision };
  return { template: before.data.spec.template, revision: currentRevision };
};

const reconcile = async (
  set: StatefulSet,
  expectations: Expectations,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { client, cache, clock } = context;
  const owner = { kind: StatefulSet, object: set };
  const candidates = controlledByOrFree(cache(Pod), set);
  const pods = await adoptAndRelease(client, owner, set.spec.selector, Pod, candidates);
  const revisions = await ensureRevision(set, set.spec.template, context);
  const revision = revisionName(set, set.spec.template);
  const now = clock.now();
  const status = statefulSetStatus(set, pods, revision, now);
  await writeStatus(client, StatefulSet, set, status);
  if (!expectations.areMet(set.metadata.uid, clock.monotonic())) {
    return { requeueAfterMs: EXPECTATIONS_EXPIRE_MS };
  }
  const { create, remove } = decideStatefulSet(set, pods, revision, now);
  for (const ordinal of create) await ensureClaims(set, ordinal, context);
  const newPods = create.map((ordinal) => {
    const { template, revision: from } = templateFor(set, ordinal, revisions);
    return statefulPod(set, ordinal, template, from);
  });
  const problem =
    (await deletePods(set, remove, expectations, context)) ??
    (await createPods(set, newPods, expectations, context));
  if (problem !== undefined) throw problem;
  const usedRevisions = new Set([revision, status.currentRevision ?? '', ...pods.map(revisionOf)]);
  await dropRevisions(revisions, usedRevisions, set.spec.revisionHistoryLimit ?? 10, context);
  const later = pods
    .map((pod) => availableAt(pod, set.spec.minReadySeconds ?? 0) ?? 0)
    .filter((moment) => moment > now);
  return later.length === 0 ? undefined : { requeueAfterMs: Math.min(...later) - now };
};

/** Runs the pods of StatefulSets, each with a stable name and stable volumes. */
export const statefulSetController = (): ControllerDefinition => {
  const expectations = new Expectations();
  return defineController({
    name: 'statefulset-controller',
    for: StatefulSet,
    concurrency: 8,
    reads: [PersistentVolumeClaim],
    indexes: [controllerIndex(Pod), controllerIndex(ControllerRevision)],
    watches: [
      ownedPods(StatefulSet, {
        expectations,
        wantedBy: ({ metadata: { namespace, labels } }, caches) =>
          caches(StatefulSet)
            .listNamespace(namespace ?? '')
            .filter(({ spec }) => specSelects(spec.selector, labels)),
      }),
    ],
    reconcile: async (ref, context) => {
      const set = context.cache(StatefulSet).get(ref);
      return set === undefined ? undefined : reconcile(set, expectations, context);
    },
  });
};
