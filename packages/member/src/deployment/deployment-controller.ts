import { specSelects } from '@perigee/api/values/label-selector';
import { controllerOf } from '@perigee/api/values/owner-references';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { delayedSource } from '@perigee/kube/controller/delayed-source';
import { Settling } from '@perigee/kube/controller/settling';
import { watch } from '@perigee/kube/controller/watch';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Deployment, type DeploymentStatus } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { Pod } from '@perigee/kubernetes/core/pod';
import { formatTime } from '@perigee/schema/values/time';
import { adoptAndRelease } from '../owned/adopt-and-release.ts';
import { controlledByOrFree, controllerIndex } from '../owned/controller-index.ts';
import { conditionOf } from '../status/workload-conditions.ts';
import { sameReport } from '../status/write-status.ts';
import { REVISION } from './annotations.ts';
import { cleanUpHistory } from './change-replica-sets.ts';
import {
  countedStatus,
  isComplete,
  lateAt,
  progressDeadlineMs,
  rolloutStatus,
  withDeploymentCondition,
} from './deployment-status.ts';
import { followScale, type Rollout, recreate, rollOut } from './roll-out.ts';
import { isRolling, wantedReplicas } from './rolling-bounds.ts';
import { isScalingEvent } from './scale-in-proportion.ts';

const PAUSED = 'DeploymentPaused';

/** Sets the condition that a deployment was paused or resumed. */
const withPauseNoted = (deployment: Deployment, time: string): Deployment => {
  const { spec, status } = deployment;
  const conditions = status?.conditions ?? [];
  const reason = conditionOf(conditions, 'Progressing')?.reason;
  if (progressDeadlineMs(deployment) === undefined) return deployment;
  const isPaused = spec.paused === true;
  if (reason === 'ProgressDeadlineExceeded' || isPaused === (reason === PAUSED)) return deployment;
  const progress = isPaused
    ? { reason: PAUSED, message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  const condition = { type: 'Progressing', status: 'Unknown', ...progress } as const;
  return {
    ...deployment,
    status: { ...status, conditions: withDeploymentCondition(conditions, condition, time) },
  };
};

/** The sets of a rollout change at about the same time: their changes are batched for this long. */
const GATHER_MS = 50;

const statusOf = (
  rollout: Rollout,
  isMeasured: boolean,
  now: { readonly ms: number; readonly text: string },
) => {
  const { deployment, newSet, old } = rollout;
  const all = newSet === undefined ? old : [...old, newSet];
  return isMeasured
    ? rolloutStatus(deployment, newSet, all, now)
    : countedStatus(deployment, newSet, all, now.text);
};

/**
 * Annotations other than the revision are written along with the status: writing them alone would look like a change
 * of the spec.
 */
const isChange = (before: Deployment, next: Deployment): boolean =>
  before.metadata.annotations?.[REVISION] !== next.metadata.annotations?.[REVISION] ||
  !sameReport(before.status, next.status);

/**
 * True if all pods of a generation are there before its first report: then the first report to a control plane has
 * content, and the next is the last.
 */
const isFirstReport = (before: Deployment, next: DeploymentStatus): boolean =>
  before.status?.observedGeneration !== next.observedGeneration &&
  next.updatedReplicas === wantedReplicas(before);

const reconcile = async (
  cachedDeployment: Deployment,
  settling: Settling,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { client, cache, clock } = context;
  const now = { ms: clock.now(), text: formatTime(clock.now()) };
  const owner = { kind: Deployment, object: cachedDeployment };
  const candidates = controlledByOrFree(cache(ReplicaSet), cachedDeployment);
  const sets = await adoptAndRelease(
    client,
    owner,
    cachedDeployment.spec.selector,
    ReplicaSet,
    candidates,
  );
  const isEnding = cachedDeployment.metadata.deletionTimestamp !== undefined;
  const deployment = isEnding ? cachedDeployment : withPauseNoted(cachedDeployment, now.text);
  const isStill = deployment.spec.paused === true || isScalingEvent(deployment, sets);
  const world = { ...context, podsOf: podsOf(cache), time: now.text };
  const rollout = isEnding
    ? { deployment, newSet: undefined, old: sets, isDone: false }
    : isStill
      ? await followScale(deployment, sets, world)
      : isRolling(deployment)
        ? await rollOut(deployment, sets, world)
        : await recreate(deployment, sets, world);
  if (rollout.isDone) await cleanUpHistory(deployment, rollout.old, context);
  const { newSet } = rollout;
  const isNewSet =
    newSet !== undefined && !sets.some(({ metadata }) => metadata.uid === newSet.metadata.uid);
  // The status of the new set is about to change, which triggers the next reconcile.
  if (isNewSet) return undefined;
  const status = statusOf(rollout, !isEnding && !isStill, now);
  const next = { ...rollout.deployment, status };
  if (isChange(cachedDeployment, next)) {
    const restMs = settling.restOf(
      objectKey(cachedDeployment.metadata),
      isEnding || isFirstReport(cachedDeployment, status) || isComplete(deployment, status),
    );
    if (restMs > 0) return { requeueAfterMs: restMs };
    await client.update(Deployment, next, { subresource: 'status' });
  }
  const late = isEnding || isStill ? undefined : lateAt(deployment, status.conditions ?? []);
  return late === undefined ? undefined : { requeueAfterMs: Math.max(1000, late - now.ms + 1000) };
};

const podsOf =
  (cache: Caches) =>
  (set: ReplicaSet): readonly Pod[] =>
    cache(Pod).byIndex('controller', set.metadata.uid);

const ownersOf = (set: ReplicaSet, caches: Caches) => {
  const { namespace = '', labels } = set.metadata;
  const controller = controllerOf(set);
  if (controller !== undefined) {
    return controller.kind === 'Deployment' ? [{ namespace, name: controller.name }] : [];
  }
  return caches(Deployment)
    .listNamespace(namespace)
    .filter(({ spec }) => specSelects(spec.selector, labels))
    .map(({ metadata: { name } }) => ({ namespace, name }));
};

/** A deployment of type Recreate waits for the last of its old pods. */
const ownersOfGonePod = (pod: Pod, caches: Caches) => {
  const { namespace = '' } = pod.metadata;
  const controller = controllerOf(pod);
  if (controller?.kind !== 'ReplicaSet') return [];
  const set = caches(ReplicaSet).get({ namespace, name: controller.name });
  return set === undefined ? [] : ownersOf(set, caches);
};

/** Rolls out Deployments through ReplicaSets. */
export const deploymentController = (): ControllerDefinition => {
  let settling: Settling | undefined;
  return defineController({
    name: 'deployment-controller',
    for: Deployment,
    concurrency: 8,
    indexes: [controllerIndex(ReplicaSet), controllerIndex(Pod)],
    watches: [
      delayedSource(watch(ReplicaSet, { map: ownersOf }), GATHER_MS),
      watch(Pod, { map: ownersOfGonePod, when: (now) => now === undefined }),
    ],
    reconcile: async (ref, context) => {
      const deployment = context.cache(Deployment).get(ref);
      settling ??= new Settling(context.clock);
      if (deployment !== undefined) return reconcile(deployment, settling, context);
      settling.forget(objectKey(ref));
      return undefined;
    },
  });
};
