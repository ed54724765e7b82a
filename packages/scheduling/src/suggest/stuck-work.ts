import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { isConditionTrue } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { carriedPlacement } from '../data/carried-placement.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import type { AnyPolicy } from '../placement/policy/policy-for.ts';
import { propagatedBy } from '../placement/policy/propagated-by.ts';
import { divisionStrategy } from '../placement/scheduler/division-strategy.ts';
import { groupsAmong } from '../placement/scheduler/groups-among.ts';
import { isDivisible } from '../placement/scheduler/placement-request.ts';
import { type Decision, schedule } from '../placement/scheduler/schedule.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import { isHeldBack } from '../placement/work/targets.ts';
import type { PlanState } from '../plan/plan-state.ts';
import { keyOf, templateKey } from '../plan/world.ts';
import { type Obstacle, remains } from './obstacle.ts';

/** The work to help. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Work that does not run completely, and the facts about it. */
export interface StuckWork {
  readonly state: PlanState;
  readonly template?: Template;
  readonly binding?: Binding;
  readonly key?: string;
  readonly policy?: AnyPolicy;
  /** The scheduler's decision on the present state, even if the work is held. */
  readonly decision?: Decision;
  /** The obstacles of placed work. */
  readonly obstacles?: readonly Obstacle[];
}

/** The binding of a subject, by the resource instead of the name. */
const bindingOf = (state: PlanState, subject: Subject): readonly [string, Binding] | undefined =>
  [...state.bindings].find(([, { spec }]) => templateKey(spec.resource) === templateKey(subject));

const replicasOf = ({ spec }: Binding): number =>
  (spec.clusters ?? []).reduce((sum, { replicas = 0 }) => sum + replicas, 0);

/** True if all of the work has clusters, and nothing blocks its delivery. */
export const runs = ({ spec, status }: Binding): boolean => {
  const { suspension, clusters = [], replicas = 0, placement } = spec;
  if (clusters.length === 0) return false;
  if (suspension?.scheduling === true) return false;
  if (clusters.some(({ name }) => isHeldBack(spec, name))) return false;
  if (!isConditionTrue((status as BindingStatus | undefined)?.conditions, 'Scheduled'))
    return false;
  const isWhole =
    !isDivisible(spec) || divisionStrategy(placement?.replicaScheduling) === 'duplicated';
  return isWhole || replicasOf({ spec } as Binding) >= replicas;
};

/** The state of a subject that does not run; undefined if it runs. The obstacles are those of the present placement. */
export const stuckWork = (
  state: PlanState,
  subject: Subject,
  obstacles: readonly Obstacle[] = [],
): StuckWork | undefined => {
  const template = state.templates.get(templateKey(subject));
  const [key, binding] = bindingOf(state, subject) ?? [];
  if (binding === undefined || key === undefined) {
    return template === undefined ? undefined : { state, template };
  }
  const ref = propagatedBy(binding.metadata);
  const policy = ref && state.policies.get(keyOf(ref));
  const objects = {
    ...present({ template, policy }),
  };
  if (runs(binding)) {
    const remainingObstacles =
      template === undefined
        ? []
        : obstacles.filter((one) => remains(one, state, binding, template));
    return remainingObstacles.length === 0
      ? undefined
      : { state, binding, key, obstacles: remainingObstacles, ...objects };
  }
  const groups = groupsAmong(binding, state.withGroupsOf(binding));
  const world = { clusters: state.room.all, rules: standardRules, groups };
  const dataPlacement = carriedPlacement(binding.metadata);
  const decision = schedule(binding.spec, binding.status ?? {}, world, dataPlacement);
  return { state, binding, key, decision, ...objects };
};
