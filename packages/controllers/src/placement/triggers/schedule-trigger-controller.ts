import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { findCondition } from '@perigee/api/values/conditions';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { delayedSource } from '@perigee/kube/controller/delayed-source';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { BINDING_KINDS, type Binding } from '@perigee/scheduling/placement/binding/binding';
import { isStanding } from '@perigee/scheduling/placement/triggers/next-run';
import {
  type JudgedTarget,
  nextTargets,
} from '@perigee/scheduling/placement/triggers/next-targets';
import { quietFor } from '@perigee/scheduling/placement/triggers/quiet-hours';
import { targetKey } from '@perigee/scheduling/placement/triggers/select-targets';
import { marksOf } from '@perigee/scheduling/placement/triggers/trigger-mark';
import { ParseError } from '@perigee/schema/errors';
import { parseTime } from '@perigee/schema/values/time';
import { beginTargets } from './begin-targets.ts';
import { reportStatus, reportUnreadable } from './report-status.ts';
import { triggerIndexes } from './trigger-lookup.ts';
import { TriggersMemory } from './trigger-memory.ts';
import { judgeTargets, runOf } from './trigger-run.ts';
import { waitForRun } from './wait-for-run.ts';

/** Lets a deleted trigger report the bindings that it leaves undone. */
const FINALIZER = 'policy.perigee.io/schedule-trigger';
const BY_RESOURCE = 'names-resource';
const FOLLOWING = 'follows-clusters';

/** Gathering time: many bindings change at about the same time. */
const GATHER_MS = 100;
/** Lower bound of the retry interval. */
const LEAST_RETRY_MS = 1000;

const isDone = ({ metadata, spec, status }: ScheduleTrigger): boolean =>
  !isStanding(spec) &&
  status?.phase === 'Success' &&
  status.observedGeneration === metadata.generation;

/** True if a recurring trigger waits for its next run. */
const isBetweenRuns = ({ spec, status }: ScheduleTrigger): boolean =>
  isStanding(spec) && (status?.standing?.run === undefined || status.finishTime !== undefined);

const readyOf = (cluster: MemberCluster | undefined) =>
  findCondition(cluster?.status?.conditions, 'Ready');

const isClusterChange = (
  now: MemberCluster | undefined,
  before: MemberCluster | undefined,
): boolean =>
  readyOf(now)?.status !== readyOf(before)?.status ||
  readyOf(now)?.lastTransitionTime !== readyOf(before)?.lastTransitionTime;

const scheduledOf = ({ status }: Binding) => findCondition(status?.conditions, 'Scheduled');

const isBindingChange = (now: Binding | undefined, before: Binding | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  now.status?.lastScheduledTime !== before.status?.lastScheduledTime ||
  now.status?.schedulerObservedGeneration !== before.status?.schedulerObservedGeneration ||
  scheduledOf(now)?.status !== scheduledOf(before)?.status;

/** The triggers that requested rescheduling of a binding, or wait for it. */
const triggersOf = ({ metadata, spec }: Binding, cache: Caches): readonly ObjectRef[] => [
  ...[...marksOf(metadata).values()].map(({ trigger }) => ({ name: trigger })),
  ...cache(ScheduleTrigger)
    .byIndex(BY_RESOURCE, targetKey(spec.resource))
    .map(({ metadata: { name } }) => ({ name })),
];

const countOf = (targets: readonly JudgedTarget[], ...results: readonly string[]): number =>
  targets.filter(({ verdict }) => results.includes(verdict.result)).length;

const timeLeft = ({ metadata, spec }: ScheduleTrigger, nowMs: number): number => {
  const minutes = spec.autoCleanAfterMinutes;
  if (minutes === 0 || isStanding(spec)) return Infinity;
  return parseTime(metadata.creationTimestamp) + minutes * 60_000 - nowMs;
};

const remove = async (
  { metadata: { name, uid } }: ScheduleTrigger,
  { client, signal }: ReconcileContext,
): Promise<undefined> => {
  const options = { preconditions: { uid }, signal };
  await client.delete(ScheduleTrigger, { name }, options).catch(ignoreNotFound);
  return undefined;
};

const release = (trigger: ScheduleTrigger, { client, signal }: ReconcileContext) => {
  const nextFinalizers = removeFinalizer(trigger.metadata.finalizers ?? [], FINALIZER);
  return setFinalizers(client, ScheduleTrigger, trigger, nextFinalizers, { signal });
};

class ScheduleTriggers {
  readonly memory = new TriggersMemory();

  async reconcile({ name }: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const { cache, clock } = context;
    const trigger = cache(ScheduleTrigger).get({ name });
    if (trigger === undefined) {
      this.memory.forget(name);
      return undefined;
    }
    if (trigger.metadata.deletionTimestamp !== undefined) return this.#cancel(trigger, context);
    const leftMs = timeLeft(trigger, clock.now());
    if (leftMs <= 0) return remove(trigger, context);
    try {
      const requeueAfterMs = Math.min(leftMs, await this.#advance(trigger, context));
      return requeueAfterMs === Infinity ? undefined : { requeueAfterMs };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      await reportUnreadable(trigger, error, context);
      return leftMs === Infinity ? undefined : { requeueAfterMs: leftMs };
    }
  }

  /** Skips bindings that have not begun; those in progress continue. What cannot be read does not keep the trigger. */
  async #cancel(trigger: ScheduleTrigger, context: ReconcileContext): Promise<undefined> {
    if (!hasFinalizer(trigger, FINALIZER)) return;
    try {
      const targets = await judgeTargets(runOf(trigger, this.memory), this.memory, context);
      const remainingCount = countOf(targets, 'Pending', 'Held');
      if (remainingCount > 0) {
        const message = `Deleted before it was done: ${remainingCount} of ${targets.length} resources were not begun and stay as they are.`;
        context.events.warning(trigger, 'TriggerCancelled', message);
      }
    } catch (error) {
      context.signal.throwIfAborted();
      const message =
        'Deleted before it was done; which resources were not begun cannot be read: these stay as they are.';
      context.events.warning(trigger, 'TriggerCancelled', message);
      context.logger.warn('cannot tell what a deleted trigger leaves undone', { error });
    }
    await release(trigger, context);
  }

  /** Advances the trigger as far as possible. Returns the requeue delay. */
  async #advance(trigger: ScheduleTrigger, context: ReconcileContext): Promise<number> {
    if (isDone(trigger) || isBetweenRuns(trigger)) {
      this.memory.forget(trigger.metadata.name);
      const releasedTrigger = await release(trigger, context);
      return isStanding(trigger.spec) ? waitForRun(releasedTrigger, context) : Infinity;
    }
    const { spec } = trigger;
    const { clock, client, signal } = context;
    let run = runOf(trigger, this.memory);
    const targets = await judgeTargets(run, this.memory, context);
    const quietMs = spec.suspend === true ? Infinity : quietFor(spec, clock.now());
    const { begin, nextMs = Infinity } =
      quietMs > 0 ? { begin: [], nextMs: quietMs } : nextTargets(targets, spec, clock.now());
    if (countOf(targets, 'Pending', 'Held') > begin.length) {
      const finalizers = addFinalizer(trigger.metadata.finalizers, FINALIZER);
      const updatedTrigger = await setFinalizers(client, ScheduleTrigger, trigger, finalizers, {
        signal,
      });
      run = { ...run, trigger: updatedTrigger };
    }
    const retryMs = Math.max(LEAST_RETRY_MS, spec.retryAfterSeconds * 1000);
    const isAll = await beginTargets(run, begin, { retryMs, own: this.memory.own }, context);
    const after = begin.length === 0 ? targets : await judgeTargets(run, this.memory, context);
    const reportMs = await reportStatus(run, after, context);
    return Math.min(reportMs, nextMs, retryMs, isAll ? Infinity : GATHER_MS);
  }
}

/** Requests rescheduling of the bindings that ScheduleTriggers select, and reports the results. */
export const scheduleTriggerController = (): ControllerDefinition => {
  const triggers = new ScheduleTriggers();
  return defineController<ScheduleTrigger>({
    name: 'schedule-trigger',
    for: ScheduleTrigger,
    concurrency: 4,
    when: (now, before) =>
      now === undefined ||
      before === undefined ||
      now.metadata.generation !== before.metadata.generation ||
      now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
      now.status?.phase !== before.status?.phase ||
      now.status?.standing?.run?.startTime !== before.status?.standing?.run?.startTime,
    watches: [
      watch(MemberCluster, {
        atStart: false,
        map: (_, cache) => cache(ScheduleTrigger).byIndex(FOLLOWING, FOLLOWING).map(refOf),
        when: isClusterChange,
      }),
      ...BINDING_KINDS.flatMap((kind) => [
        triggers.memory.own.seenBy(kind),
        delayedSource(
          watch(kind, { atStart: false, map: triggersOf, when: isBindingChange }),
          GATHER_MS,
        ),
      ]),
    ],
    reads: [PropagationPolicy, ClusterPropagationPolicy],
    indexes: [
      ...triggerIndexes,
      index(ScheduleTrigger, FOLLOWING, ({ spec }) => (spec.onClusters ? [FOLLOWING] : [])),
      index(ScheduleTrigger, BY_RESOURCE, (trigger) =>
        isDone(trigger) ? [] : (trigger.spec.targetRefResource ?? []).map(targetKey),
      ),
    ],
    reconcile: (ref, context) => triggers.reconcile(ref, context),
  });
};
