import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import {
  judgeTarget,
  type TargetVerdict,
  verdictAt,
} from '@perigee/scheduling/placement/triggers/judge-target';
import { isStanding } from '@perigee/scheduling/placement/triggers/next-run';
import {
  type JudgedTarget,
  withinBudget,
} from '@perigee/scheduling/placement/triggers/next-targets';
import { selectTargets, targetKey } from '@perigee/scheduling/placement/triggers/select-targets';
import { marksOf } from '@perigee/scheduling/placement/triggers/trigger-mark';
import { parseTime } from '@perigee/schema/values/time';
import { findLabelled } from './labelled-resources.ts';
import { bindingsWithin, lookupIn } from './trigger-lookup.ts';
import type { TriggerMemory, TriggersMemory } from './trigger-memory.ts';

/** A run of a trigger. */
export interface TriggerRun {
  readonly trigger: ScheduleTrigger;
  /** The spec that applies to this run. */
  readonly spec: ScheduleTrigger['spec'];
  /** Identifies a run of a recurring trigger; empty for one that runs once. */
  readonly run: string;
  readonly memory: TriggerMemory;
}

/** A run for new clusters selects the work that could use them. */
export const runOf = (trigger: ScheduleTrigger, memory: TriggersMemory): TriggerRun => {
  const { metadata, spec, status } = trigger;
  const { startTime = '', clusters } = (isStanding(spec) ? status?.standing?.run : undefined) ?? {};
  const about = `${metadata.uid}/${metadata.generation}/${startTime}`;
  return {
    trigger,
    spec: clusters === undefined ? spec : { ...spec, towardsClusters: clusters },
    run: startTime,
    memory: memory.of(metadata.name, about),
  };
};

/** The start of the run: newer work is not selected by policies and selectors. */
const beganAt = ({ trigger: { metadata, status }, run }: TriggerRun, nowMs: number): number => {
  if (run !== '') return parseTime(run);
  return status?.startTime === undefined || status.observedGeneration !== metadata.generation
    ? nowMs
    : parseTime(status.startTime);
};

/** The targets of a trigger, each with its verdict. */
export const judgeTargets = async (
  now: TriggerRun,
  { clusters, own }: TriggersMemory,
  context: ReconcileContext,
): Promise<readonly JudgedTarget<Binding>[]> => {
  const { trigger, spec, run, memory } = now;
  const { metadata } = trigger;
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
  const moment = { isStanding: isStanding(spec), nowMs };
  const verdictOn = (binding: Binding | undefined): TargetVerdict => {
    if (binding === undefined) return judgeTarget(undefined, undefined, spec);
    const cachedVerdict = memory.verdicts.get(binding);
    if (cachedVerdict !== undefined) return cachedVerdict;
    const mark = marksOf(binding.metadata).get(metadata.uid);
    const verdict = judgeTarget(binding, mark?.run === run ? mark : undefined, spec);
    memory.verdicts.set(binding, verdict);
    return verdict;
  };
  const judgedTargets = selectTargets(spec, lookup, beganAt(now, nowMs)).map(
    ({ resource, binding, problem }): JudgedTarget<Binding> => {
      const target = binding === undefined ? { resource } : { resource, binding };
      const verdict = problem ?? verdictAt(binding, verdictOn(binding), moment);
      if (verdict.result !== 'Pending') return { ...target, verdict };
      const refusal = memory.refusals.get(targetKey(resource));
      if (refusal === undefined || refusal.untilMs <= nowMs) return { ...target, verdict };
      const { message } = refusal;
      return { ...target, verdict: { result: 'Failed', reason: 'NotTriggered', message } };
    },
  );
  return withinBudget(judgedTargets, spec.budget?.maxTargetsPerRun);
};
