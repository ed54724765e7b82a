import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { groupsAmong } from '../scheduler/groups-among.ts';
import type { PlacementWorld } from '../scheduler/place.ts';
import { schedule } from '../scheduler/schedule.ts';
import { judgeTarget, type TargetVerdict, type TriggerableBinding } from './judge-target.ts';
import type { JudgedTarget } from './next-targets.ts';
import { nextTriggerTime } from './next-trigger-time.ts';
import { hasMoved, replicasMoved } from './replicas-moved.ts';
import type { TriggerTarget } from './select-targets.ts';

type World = Pick<PlacementWorld, 'clusters' | 'rules'>;

const shares = (clusters: readonly TargetCluster[] = []): readonly TargetCluster[] =>
  clusters
    .map(({ name, replicas }) => (replicas === undefined ? { name } : { name, replicas }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Simulates rescheduling a binding now. */
const foreseeVerdict = (
  binding: TriggerableBinding,
  others: readonly TriggerableBinding[],
  world: World,
  nowMs: number,
): TargetVerdict => {
  const { spec, status = {} } = binding;
  const rescheduleTriggeredAt = nextTriggerTime(spec, status, nowMs);
  const groups = groupsAmong(binding, others);
  const { outcome } = schedule({ ...spec, rescheduleTriggeredAt }, status, { ...world, groups });
  const before = shares(spec.clusters);
  if (outcome.kind === 'refused') {
    const { reason, message } = outcome;
    return { result: 'Failed', reason, message, before };
  }
  const after = shares(outcome.clusters);
  const result = hasMoved(before, after) ? 'Scheduled' : 'NoChange';
  return { result, before, after, replicasMoved: replicasMoved(before, after) };
};

/**
 * Simulates a trigger with the functions that execute it. Members of an affinity group see each
 * other's planned placement.
 */
export const planTargets = (
  targets: readonly TriggerTarget[],
  spec: ScheduleTrigger['spec'],
  { bindings, ...world }: World & { readonly bindings: readonly TriggerableBinding[] },
  nowMs: number,
): readonly JudgedTarget[] => {
  const groupMembers = new Map(
    bindings
      .filter((one) => one.spec.workloadAffinityGroups !== undefined)
      .map((one) => [one.metadata.uid, one]),
  );
  return targets.map((target) => {
    const { binding, problem } = target;
    const verdict = problem ?? judgeTarget(binding, undefined, spec);
    if (verdict.result !== 'Pending' || binding === undefined) return { ...target, verdict };
    const { namespace, uid } = binding.metadata;
    const isGrouped = groupMembers.has(uid);
    const others = isGrouped
      ? [...groupMembers.values()].filter(({ metadata }) => metadata.namespace === namespace)
      : [];
    const plannedVerdict = foreseeVerdict(binding, others, world, nowMs);
    if (isGrouped && plannedVerdict.after !== undefined) {
      groupMembers.set(uid, {
        ...binding,
        spec: { ...binding.spec, clusters: plannedVerdict.after },
      });
    }
    return { ...target, verdict: plannedVerdict };
  });
};
