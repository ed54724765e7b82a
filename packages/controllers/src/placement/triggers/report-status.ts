import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { JudgedTarget } from '@perigee/scheduling/placement/triggers/next-targets';
import { summaryOf, triggerStatus } from '@perigee/scheduling/placement/triggers/trigger-status';
import type { ParseError } from '@perigee/schema/errors';
import { sameJson } from '@perigee/schema/same-json';
import type { TriggerRun } from './trigger-run.ts';

const FIELD_MANAGER = 'perigee-schedule-trigger';
/** Interval between progress reports of a trigger with many resources. */
const STATUS_MS = 1000;

/** Writes the progress of a trigger, at a limited rate. Returns the delay until the next write. */
export const reportStatus = async (
  { trigger, memory }: TriggerRun,
  targets: readonly JudgedTarget[],
  { client, clock, events, signal }: ReconcileContext,
): Promise<number> => {
  const before = trigger.status;
  const status = triggerStatus(trigger, targets, clock.now());
  if (sameJson(status, before)) return Infinity;
  const isChange =
    status.phase !== before?.phase || status.observedGeneration !== before.observedGeneration;
  const leftMs = memory.statusWrittenAt + STATUS_MS - clock.now();
  if (!isChange && leftMs > 0) return leftMs;
  const { finishTime = null, targets: list = null, failedResourceList = null, ...rest } = status;
  const fields = { ...rest, finishTime, targets: list, failedResourceList };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, ScheduleTrigger, trigger, fields, options);
  memory.statusWrittenAt = clock.now();
  if (status.phase === 'Running' || status.phase === before?.phase) return Infinity;
  const message = status.counts === undefined ? '' : summaryOf(status.counts);
  if (status.phase === 'Success') events.normal(trigger, 'TriggerSucceeded', message);
  else events.warning(trigger, 'TriggerFailed', message);
  return Infinity;
};

/** Writes the condition of a trigger with an invalid schedule. */
export const reportUnreadable = async (
  trigger: ScheduleTrigger,
  { message }: ParseError,
  { client, clock, signal }: ReconcileContext,
): Promise<void> => {
  const { metadata, status } = trigger;
  const condition = { type: 'Complete', status: 'False', reason: 'BadSchedule', message } as const;
  const conditions = setCondition(status?.conditions, condition, clock.now());
  if (conditions === status?.conditions) return;
  const fields = { phase: 'Failed', observedGeneration: metadata.generation, conditions };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, ScheduleTrigger, trigger, fields, options);
};
