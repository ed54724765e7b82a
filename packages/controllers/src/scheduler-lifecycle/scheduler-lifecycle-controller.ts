import { isDeepStrictEqual } from 'node:util';
import { Scheduler } from '@perigee/api/kinds/globalscheduler/scheduler';
import { setCondition } from '@perigee/api/values/conditions';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isNotFound } from '@perigee/kube/errors';
import { Lease } from '@perigee/kube/leader-election/lease';
import { bindingsWith, schedulerIndex } from '../home-scheduler/bindings-with.ts';
import { BINDING_KINDS, type Binding } from '../scheduler/binding.ts';
import { leaseOf, SchedulerPulses, schedulerOf } from './scheduler-lease.ts';
import type { SchedulerProcesses } from './scheduler-processes.ts';
import { AVAILABLE, isLeaving } from './takes-part.ts';

export interface SchedulerLifecycleOptions {
  /** Absent when somebody else runs the processes. */
  readonly processes?: SchedulerProcesses;
}

const FIELD_MANAGER = 'perigee-scheduler-lifecycle';
const DRAIN = 'globalscheduler.com/drain';
/** How often a process that was asked to end is looked at. */
const ENDING_MS = 1_000;

type Phase = NonNullable<NonNullable<Scheduler['status']>['phase']>;

const phaseOf = (scheduler: Scheduler, isAlive: boolean): Phase => {
  if (isLeaving(scheduler)) return 'Draining';
  if (isAlive) return 'Active';
  const { phase = 'Pending' } = scheduler.status ?? {};
  return phase === 'Pending' ? 'Pending' : 'Unavailable';
};

const REASONS: { readonly [phase in Phase]: readonly [reason: string, message: string] } = {
  Active: ['LeaseHeld', 'The scheduler holds its lease.'],
  Pending: ['NotStarted', 'The scheduler has not taken its lease yet.'],
  Draining: ['Leaving', 'The scheduler gives its clusters and its work away.'],
  Unavailable: ['LeaseExpired', 'The scheduler has not renewed its lease in time.'],
};

const writeFinalizers = async (
  { metadata: { name, resourceVersion } }: Scheduler,
  finalizers: readonly string[],
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const body = { metadata: { resourceVersion, finalizers } };
  await client.patch(
    Scheduler,
    { name },
    { type: 'merge', body },
    { fieldManager: FIELD_MANAGER, signal },
  );
};

const writePhase = async (
  scheduler: Scheduler,
  isAlive: boolean,
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const { metadata, status: before = {} } = scheduler;
  const phase = phaseOf(scheduler, isAlive);
  const [reason, message] = REASONS[phase];
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
  if (isDeepStrictEqual({ ...before, ...status }, before)) return;
  const { name, resourceVersion } = metadata;
  await client.patch(
    Scheduler,
    { name },
    { type: 'merge', body: { metadata: { resourceVersion }, status } },
    { subresource: 'status', fieldManager: FIELD_MANAGER, signal },
  );
  if (phase === before.phase) return;
  if (phase === 'Unavailable') events.warning(scheduler, 'SchedulerUnavailable', message);
  else events.normal(scheduler, `Scheduler${phase}`, message);
};

/** Whether nothing is left for it to do: others have its clusters, and its work is done or given away. */
const isDrained = ({ metadata, status }: Scheduler, cache: Caches): boolean =>
  (status?.clusters?.desired ?? []).length === 0 &&
  BINDING_KINDS.every((kind) => bindingsWith(cache, kind, metadata.name).length === 0);

const leavingOf = (binding: Binding, cache: Caches) => {
  const name = binding.spec.schedulerName ?? '';
  const scheduler = cache(Scheduler).get({ name });
  return scheduler !== undefined && isLeaving(scheduler) ? [{ name }] : [];
};

/**
 * Follows a scheduler from its object to its process and back: runs the process, tells by its lease whether
 * it is there, and lets the object go only when others have its clusters, its queue is empty and the process
 * has ended.
 */
export const schedulerLifecycleController = ({
  processes,
}: SchedulerLifecycleOptions = {}): ControllerDefinition => {
  const pulses = new SchedulerPulses();

  const end = async (scheduler: Scheduler, context: ReconcileContext) => {
    const { name, finalizers = [] } = scheduler.metadata;
    const hasEnded = (await processes?.stop(name, context)) ?? true;
    if (!hasEnded) return { requeueAfterMs: ENDING_MS };
    try {
      await context.client.delete(Lease, leaseOf(name), { signal: context.signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    pulses.forget(name);
    await writeFinalizers(scheduler, removeFinalizer(finalizers, DRAIN), context);
    return undefined;
  };

  return defineController({
    name: 'scheduler-lifecycle',
    waitsForOthers: true,
    for: Scheduler,
    // The end of one may take long.
    concurrency: 16,
    watches: [
      watch(Lease, {
        map: (lease) => {
          const name = schedulerOf(lease);
          return name === undefined ? [] : [{ name }];
        },
      }),
      ...BINDING_KINDS.map((kind) => watch(kind, { map: leavingOf })),
    ],
    indexes: BINDING_KINDS.map((kind) => schedulerIndex(kind)),
    async reconcile(ref, context) {
      const { cache, clock } = context;
      const scheduler = cache(Scheduler).get(ref);
      if (scheduler === undefined) {
        pulses.forget(ref.name);
        await processes?.stop(ref.name, context);
        return undefined;
      }
      const { finalizers } = scheduler.metadata;
      if (isLeaving(scheduler) && !hasFinalizer(scheduler, DRAIN)) return undefined;
      if (!hasFinalizer(scheduler, DRAIN)) {
        await writeFinalizers(scheduler, addFinalizer(finalizers, DRAIN), context);
        return undefined;
      }
      if (isLeaving(scheduler) && isDrained(scheduler, cache)) {
        return end(scheduler, context);
      }
      await processes?.start(scheduler, context);
      const aliveForMs = pulses.aliveForMs(ref.name, cache(Lease).get(leaseOf(ref.name)), {
        monotonic: clock.monotonic(),
        wall: clock.now(),
      });
      await writePhase(scheduler, aliveForMs > 0, context);
      return aliveForMs > 0 ? { requeueAfterMs: aliveForMs } : undefined;
    },
  });
};
