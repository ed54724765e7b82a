import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { parseTime } from '@perigee/schema/values/time';
import { isLeaving, takesWork } from '../../clusters/sharding/takes-part.ts';
import type { Binding } from '../binding/binding.ts';
import { DEFAULT_SCHEDULER, distributedTo } from '../binding/distributed-to.ts';
import { isWaiting } from '../scheduler/standing.ts';
import { isRefused, isUndecided, refusersOf } from './refusals.ts';

/** Inputs to the choice of a binding's scheduler. */
export interface Distribution {
  readonly binding: Binding;
  /** The scheduler that the binding names; absent if it does not exist. */
  readonly scheduler?: Scheduler;
  /** The best scheduler now, except those that refused. */
  readonly choose: (refusedBy: readonly string[]) => string | undefined;
  /** The time that a leaving scheduler may use to finish its backlog. */
  readonly drainMs: number;
  readonly nowMs: number;
}

/** The distributor's next action for a binding. */
export type DistributionStep =
  | { readonly kind: 'keep' }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'give'; readonly to: string }
  /** The binding is scheduled: drop the recorded refusals. */
  | { readonly kind: 'forget-refusals' }
  /** Its scheduler found no place: ask the next one. */
  | { readonly kind: 'hand-over'; readonly to: string; readonly refusers: readonly string[] };

const KEEP: DistributionStep = { kind: 'keep' };

/** The name of the scheduler responsible for a binding. */
export const schedulerOf = ({ spec }: Binding): string => spec.schedulerName || DEFAULT_SCHEDULER;

/** True if the distributor may choose the scheduler; otherwise the policy names one. */
const isFree = (binding: Binding): boolean =>
  binding.spec.placement !== undefined &&
  (schedulerOf(binding) === DEFAULT_SCHEDULER ||
    distributedTo(binding.metadata) === binding.spec.schedulerName);

/** True if all clusters of a scheduler have moved to others. */
export const isEmptied = ({ status }: Scheduler): boolean =>
  (status?.clusters?.desired ?? []).length === 0;

/** The remaining time that a leaving scheduler may keep a queued binding. */
const queuedForMs = ({ binding, scheduler, drainMs, nowMs }: Distribution): number => {
  const { deletionTimestamp } = scheduler?.metadata ?? {};
  if (deletionTimestamp === undefined || !isUndecided(binding)) return 0;
  return Math.max(0, parseTime(deletionTimestamp) + drainMs - nowMs);
};

/** Every write of a hand-over is visible in the binding, so that an interrupted one resumes. */
const handOver = ({ binding, choose }: Distribution): DistributionStep => {
  const refusers = refusersOf(binding);
  if (!isWaiting(binding)) return refusers.length > 0 ? { kind: 'forget-refusals' } : KEEP;
  const currentName = binding.spec.schedulerName ?? '';
  if (!isRefused(binding) && !refusers.includes(currentName)) return KEEP;
  const all = [...new Set([...refusers, currentName])];
  const to = choose(all);
  return to === undefined ? KEEP : { kind: 'hand-over', to, refusers: all };
};

/**
 * A binding keeps its scheduler while that one is active and finds a place. A leaving scheduler may
 * finish its backlog first. Without any scheduler, the built-in one takes over.
 */
export const distributionStep = (state: Distribution): DistributionStep => {
  const { binding, scheduler, choose } = state;
  if (!isFree(binding)) return KEEP;
  if (scheduler !== undefined && takesWork(scheduler)) return handOver(state);
  // Its clusters must move first: they decide which scheduler gets the work.
  if (scheduler !== undefined && isLeaving(scheduler) && !isEmptied(scheduler)) return KEEP;
  const forMs = queuedForMs(state);
  if (forMs > 0) return { kind: 'wait', forMs };
  const to = choose([]) ?? DEFAULT_SCHEDULER;
  return to === schedulerOf(binding) ? KEEP : { kind: 'give', to };
};
