import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import { setCondition } from '@perigee/api/values/conditions';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { AVAILABLE, isLeaving } from '@perigee/scheduling/clusters/sharding/takes-part';
import { BINDING_KINDS, type Binding } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { bindingsWith, schedulerIndex } from '../../placement/distributor/bindings-with.ts';
import { leaseOf, SchedulerPulses, schedulerOf } from './scheduler-lease.ts';
import type { SchedulerExit, SchedulerProcesses } from './scheduler-processes.ts';

export interface SchedulerLifecycleOptions {
  /** Absent when another process runs the schedulers. */
  readonly processes?: SchedulerProcesses;
}

const FIELD_MANAGER = 'perigee-scheduler-lifecycle';
const DRAIN = 'globalscheduler.com/drain';
/** Poll interval while a process is shutting down. */
const ENDING_MS = 1_000;

type Phase = NonNullable<NonNullable<Scheduler['status']>['phase']>;

const phaseOf = (scheduler: Scheduler, isAlive: boolean): Phase => {
  if (isLeaving(scheduler)) return 'Draining';
  if (isAlive) return 'Active';
  const { phase = 'Pending' } = scheduler.status ?? {};
  return phase === 'Pending' ? 'Pending' : 'Unavailable';
};

type Why = readonly [reason: ReasonOf<'Scheduler', typeof AVAILABLE>, message: string];

const REASONS: { readonly [phase in Phase]: Why } = {
  Active: ['LeaseHeld', 'The scheduler holds its lease.'],
  Pending: ['NotStarted', 'The scheduler has not taken its lease yet.'],
  Draining: ['Leaving', 'The scheduler gives its clusters and its work away.'],
  Unavailable: ['LeaseExpired', 'The scheduler has not renewed its lease in time.'],
};

/** A process that was seen to exit is not active, whatever its lease. */
const reasonsOf = (phase: Phase, exit: SchedulerExit | undefined): Why => {
  if (exit === undefined || phase === 'Active' || phase === 'Draining') return REASONS[phase];
  const { reason, restarts, nextStartMs } = exit;
  const often = restarts === 1 ? 'once' : `${restarts} times`;
  const next =
    nextStartMs === undefined
      ? 'It was started again.'
      : `It is started again at ${formatTime(nextStartMs)}.`;
  return ['CrashLoop', `Its process has ended ${often}: ${reason}. ${next}`];
};

const exitStatus = (exit: SchedulerExit | undefined) => {
  if (exit === undefined) return {};
  const { reason, atMs, restarts, nextStartMs } = exit;
  const next = nextStartMs === undefined ? undefined : formatTime(nextStartMs);
  return {
    restarts,
    lastExit: { reason, time: formatTime(atMs), ...present({ nextStartTime: next }) },
  };
};

/** A merge patch has to name the fields that it removes. */
const withoutOld = ({ lastExit, ...status }: ReturnType<typeof exitStatus>) =>
  lastExit === undefined ? status : { ...status, lastExit: { nextStartTime: null, ...lastExit } };

const reportExit = (
  scheduler: Scheduler,
  exit: SchedulerExit | undefined,
  { events }: ReconcileContext,
): void => {
  const { lastExit } = scheduler.status ?? {};
  if (exit === undefined || lastExit?.time === formatTime(exit.atMs)) return;
  const { reason, restarts, nextStartMs } = exit;
  const next =
    nextStartMs === undefined ? '' : `; it is started again at ${formatTime(nextStartMs)}`;
  events.warning(scheduler, 'SchedulerCrashed', `${reason} (${restarts} in a row)${next}`);
};

const writePhase = async (
  scheduler: Scheduler,
  isAlive: boolean,
  exit: SchedulerExit | undefined,
  context: ReconcileContext,
): Promise<void> => {
  const { client, clock, events, signal } = context;
  const { metadata, status: before = {} } = scheduler;
  const phase = phaseOf(scheduler, isAlive);
  const [reason, message] = reasonsOf(phase, exit);
  const exitFields = exitStatus(exit);
  const available = phase === 'Active' ? 'True' : 'False';
  const status = {
    phase,
    leaseName: leaseOf(metadata.name).name,
    observedGeneration: metadata.generation ?? 0,
    conditions: setCondition(
      before.conditions,
      { type: AVAILABLE, status: available, reason, message },
      clock.now(),
    ),
  };
  if (sameJson({ ...before, ...status, ...exitFields }, before)) return;
  const next = { ...status, ...withoutOld(exitFields) };
  await patchStatus(client, Scheduler, scheduler, next, { fieldManager: FIELD_MANAGER, signal });
  reportExit(scheduler, exit, context);
  if (phase === before.phase) return;
  if (phase === 'Unavailable') events.warning(scheduler, 'SchedulerUnavailable', message);
  else events.normal(scheduler, `Scheduler${phase}`, message);
};

/** True if the lease was not renewed after the process was seen to exit: its expiry need not be awaited. */
const isKnownDead = (exit: SchedulerExit | undefined, lease: Lease | undefined): boolean => {
  const { renewTime } = lease?.spec ?? {};
  return exit !== undefined && (renewTime == null || parseTime(renewTime) <= exit.atMs);
};

/** Enqueues a scheduler when its process has exited or was restarted. */
const exitSource = (processes: SchedulerProcesses | undefined): Source => ({
  kinds: [],
  start: ({ enqueue }) => {
    const stack = new DisposableStack();
    stack.use(processes?.onChange?.((name) => enqueue({ name })));
    return stack;
  },
});

/** True once others have its clusters, and its bindings are done or handed over. */
const isDrained = ({ metadata, status }: Scheduler, cache: Caches): boolean =>
  (status?.clusters?.desired ?? []).length === 0 &&
  BINDING_KINDS.every((kind) => bindingsWith(cache, kind, metadata.name).length === 0);

const leavingOf = (binding: Binding, cache: Caches) => {
  const name = binding.spec.schedulerName ?? '';
  const scheduler = cache(Scheduler).get({ name });
  return scheduler !== undefined && isLeaving(scheduler) ? [{ name }] : [];
};

/**
 * Runs the process of each Scheduler, reports from its lease whether it is active, and removes the finalizer only
 * when others have its clusters, its queue is empty and the process has exited.
 */
export const schedulerLifecycleController = ({
  processes,
}: SchedulerLifecycleOptions = {}): ControllerDefinition => {
  const pulses = new SchedulerPulses();

  const end = async (scheduler: Scheduler, context: ReconcileContext) => {
    const { client, signal } = context;
    const { name, finalizers } = scheduler.metadata;
    const hasEnded = (await processes?.stop(name, context)) ?? true;
    if (!hasEnded) return { requeueAfterMs: ENDING_MS };
    await client.delete(Lease, leaseOf(name), { signal }).catch(ignoreNotFound);
    pulses.forget(name);
    const nextFinalizers = removeFinalizer(finalizers, DRAIN);
    await setFinalizers(client, Scheduler, scheduler, nextFinalizers, {
      fieldManager: FIELD_MANAGER,
      signal,
    });
    return undefined;
  };

  return defineController({
    name: 'scheduler-lifecycle',
    for: Scheduler,
    // A shutdown can take long, and must not block others.
    concurrency: 16,
    watches: [
      watch(Lease, {
        map: (lease) => {
          const name = schedulerOf(lease);
          return name === undefined ? [] : [{ name }];
        },
      }),
      ...BINDING_KINDS.map((kind) => watch(kind, { map: leavingOf })),
      exitSource(processes),
    ],
    indexes: BINDING_KINDS.map((kind) => schedulerIndex(kind)),
    async reconcile(ref, context) {
      const { cache, client, clock, signal } = context;
      const scheduler = cache(Scheduler).get(ref);
      if (scheduler === undefined) {
        pulses.forget(ref.name);
        await processes?.stop(ref.name, context);
        return undefined;
      }
      if (isLeaving(scheduler) && !hasFinalizer(scheduler, DRAIN)) return undefined;
      if (!hasFinalizer(scheduler, DRAIN)) {
        const finalizers = addFinalizer(scheduler.metadata.finalizers, DRAIN);
        const options = { fieldManager: FIELD_MANAGER, signal };
        await setFinalizers(client, Scheduler, scheduler, finalizers, options);
        return undefined;
      }
      if (isLeaving(scheduler) && isDrained(scheduler, cache)) {
        return end(scheduler, context);
      }
      await processes?.start(scheduler, context);
      const lease = cache(Lease).get(leaseOf(ref.name));
      const now = { monotonic: clock.monotonic(), wall: clock.now() };
      const exit = processes?.lastExit?.(ref.name);
      const aliveForMs = isKnownDead(exit, lease) ? 0 : pulses.aliveForMs(ref.name, lease, now);
      await writePhase(scheduler, aliveForMs > 0, exit, context);
      return aliveForMs > 0 ? { requeueAfterMs: aliveForMs } : undefined;
    },
  });
};
