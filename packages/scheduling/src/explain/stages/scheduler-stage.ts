import { findCondition } from '@perigee/api/values/conditions';
import { takesWork } from '../../clusters/sharding/takes-part.ts';
import { DEFAULT_SCHEDULER } from '../../placement/binding/distributed-to.ts';
import { isWaiting } from '../../placement/scheduler/standing.ts';
import type { Finding } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

/** The scheduler in charge of undecided work. */
export const schedulerStage = (snapshot: WorkSnapshot, isPlaced: boolean): readonly Finding[] => {
  const binding = read(snapshot.binding, undefined);
  if (binding === undefined || binding.spec.placement === undefined) return [];
  const { metadata, spec, status } = binding;
  if (spec.suspension?.scheduling === true) return [];
  const scheduledCondition = findCondition(status?.conditions, 'Scheduled');
  // A scheduler that finds no cluster writes the condition without the observed generation, as upstream.
  if (!isWaiting(binding) || scheduledCondition?.status === 'False') return [];
  const severity = isPlaced ? 'degrades' : 'holds';
  const base = { stage: 'scheduler', severity, since: metadata.creationTimestamp } as const;
  const name = spec.schedulerName || DEFAULT_SCHEDULER;
  const scheduler = read(snapshot.schedulers, []).find((one) => one.metadata.name === name);
  if (scheduler !== undefined && !takesWork(scheduler)) {
    const phase = scheduler.status?.phase ?? 'Pending';
    const message = `the Scheduler ${name} has it, and is ${phase}`;
    return [{ ...base, reason: 'SchedulerNotActive', by: 'scheduler', message, details: { name } }];
  }
  if (scheduler === undefined && name !== DEFAULT_SCHEDULER) {
    const message = `the policy gives it to the scheduler \`${name}\`, which does not run here`;
    return [{ ...base, reason: 'OtherScheduler', by: 'user', message, details: { name } }];
  }
  const what = scheduledCondition === undefined ? 'it' : 'its newest state';
  const message = `the scheduler ${name} has not decided about ${what} yet`;
  return [{ ...base, reason: 'NotDecided', by: 'scheduler', message, details: { name } }];
};
