import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { parseTime } from '@perigee/api/values/time';
import { isLeaving, takesWork } from '../../clusters/sharding/takes-part.ts';
import type { Binding } from '../binding/binding.ts';
import { DEFAULT_SCHEDULER, distributedTo } from '../binding/distributed-to.ts';
import { isWaiting } from '../scheduler/standing.ts';
import { isRefused, isUndecided, refusersOf } from './refusals.ts';

/** What there is to know in order to say who schedules a binding. */
export interface Distribution {
  readonly binding: Binding;
  /** The scheduler that has it; absent when there is none of that name. */
  readonly scheduler?: Scheduler;
  /** The best for it now, of those who have not refused it. */
  readonly choose: (refusedBy: readonly string[]) => string | undefined;
  /** How long a scheduler that leaves may finish what is in its queue. */
  readonly drainMs: number;
  readonly nowMs: number;
}

/** What is to be done about who schedules a binding. */
export type DistributionStep =
  | { readonly kind: 'keep' }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'give'; readonly to: string }
  /** It is placed: who refused it before no longer counts. */
  | { readonly kind: 'forget-refusals' }
  /** Its scheduler found no place for it: the next one is asked. */
  | { readonly kind: 'hand-over'; readonly to: string; readonly refusers: readonly string[] };

const KEEP: DistributionStep = { kind: 'keep' };

/** The scheduler that is in charge of a binding. */
export const schedulerOf = ({ spec }: Binding): string => spec.schedulerName || DEFAULT_SCHEDULER;

/** Whether it is for the distributor to say who schedules it: others are named by the policy. */
const isFree = (binding: Binding): boolean =>
  binding.spec.placement !== undefined &&
  (schedulerOf(binding) === DEFAULT_SCHEDULER ||
    distributedTo(binding.metadata) === binding.spec.schedulerName);

/** Whether others have taken over what a scheduler had. */
export const isEmptied = ({ status }: Scheduler): boolean =>
  (status?.clusters?.desired ?? []).length === 0;

/** For how much longer a scheduler that leaves may keep a binding that is in its queue. */
const queuedForMs = ({ binding, scheduler, drainMs, nowMs }: Distribution): number => {
  const { deletionTimestamp } = scheduler?.metadata ?? {};
  if (deletionTimestamp === undefined || !isUndecided(binding)) return 0;
  return Math.max(0, parseTime(deletionTimestamp) + drainMs - nowMs);
};

/** Each write of a hand-over shows in the binding, so that one that was interrupted is carried on. */
const handOver = ({ binding, choose }: Distribution): DistributionStep => {
  const refusers = refusersOf(binding);
  if (!isWaiting(binding)) return refusers.length > 0 ? { kind: 'forget-refusals' } : KEEP;
  const present = binding.spec.schedulerName ?? '';
  if (!isRefused(binding) && !refusers.includes(present)) return KEEP;
  const all = [...new Set([...refusers, present])];
  const to = choose(all);
  return to === undefined ? KEEP : { kind: 'hand-over', to, refusers: all };
};

/**
 * Work keeps its scheduler as long as that one takes work and finds a place for it. One that leaves may first
 * finish its queue. Without any scheduler the one that is built in does the work.
 */
export const distributionStep = (state: Distribution): DistributionStep => {
  const { binding, scheduler, choose } = state;
  if (!isFree(binding)) return KEEP;
  if (scheduler !== undefined && takesWork(scheduler)) return handOver(state);
  // Its clusters go first: then it shows who is to have its work.
  if (scheduler !== undefined && isLeaving(scheduler) && !isEmptied(scheduler)) return KEEP;
  const forMs = queuedForMs(state);
  if (forMs > 0) return { kind: 'wait', forMs };
  const to = choose([]) ?? DEFAULT_SCHEDULER;
  return to === schedulerOf(binding) ? KEEP : { kind: 'give', to };
};
