import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { parseTime } from '@perigee/api/values/time';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { judgeTarget } from '@perigee/scheduling/placement/triggers/judge-target';
import type { JudgedTarget } from '@perigee/scheduling/placement/triggers/next-targets';
import { selectTargets, targetKey } from '@perigee/scheduling/placement/triggers/select-targets';
import { marksOf } from '@perigee/scheduling/placement/triggers/trigger-mark';
import { findLabelled } from './labelled-resources.ts';
import { bindingsWithin, lookupIn } from './trigger-lookup.ts';
import type { TriggerMemory, TriggersMemory } from './trigger-memory.ts';

/** A trigger at work. */
export interface TriggerRun {
  readonly trigger: ScheduleTrigger;
  /** Which run of a standing trigger; empty for one that runs once. */
  readonly run: string;
  readonly memory: TriggerMemory;
}

/** Since when a trigger means what it says; what came later is none of its business. */
const beganAt = ({ metadata, status }: ScheduleTrigger, nowMs: number): number =>
  status?.startTime === undefined || status.observedGeneration !== metadata.generation
    ? nowMs
    : parseTime(status.startTime);

/** Everything that a trigger means, and how far it has come with each. */
export const judgeTargets = async (
  { trigger, run, memory }: TriggerRun,
  { clusters, own }: TriggersMemory,
  context: ReconcileContext,
): Promise<readonly JudgedTarget<Binding>[]> => {
  const { metadata, spec } = trigger;
  const { cache, clock } = context;
  memory.hasLabels ??= await findLabelled(
    spec,
    (namespaces) => bindingsWithin(cache, namespaces),
    context,
  );
  const { hasLabels } = memory;
  const lookup = lookupIn(cache, {
    uid: metadata.uid,
    run,
    clusters,
    newest: (binding) => own.newest(binding),
    hasLabels,
  });
  const nowMs = clock.now();
  return selectTargets(spec, lookup, beganAt(trigger, nowMs)).map((target) => {
    const { binding, problem } = target;
    const mark = binding && marksOf(binding.metadata).get(metadata.uid);
    const verdict = problem ?? judgeTarget(binding, mark?.run === run ? mark : undefined, spec);
    const refusal = memory.refusals.get(targetKey(target.resource));
    if (verdict.result !== 'Pending' || refusal === undefined || refusal.untilMs <= nowMs) {
      return { ...target, verdict };
    }
    const { message } = refusal;
    return { ...target, verdict: { result: 'Failed', reason: 'NotTriggered', message } };
  });
};
