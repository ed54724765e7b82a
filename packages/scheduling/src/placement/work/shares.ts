import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { JsonObject } from '@perigee/schema/json';
import { numberIn, textIn, withField } from '../../interpreter/fields.ts';
import type { KindInterpreter } from '../../interpreter/interpreter.ts';
import { webster } from '../scheduler/assign/webster.ts';
import { isWorkload } from '../scheduler/placement-request.ts';
import { withWords } from './words.ts';

/** Renders a cluster's share of the template. */
export type ShareOut = (target: TargetCluster) => JsonObject;

/**
 * Divides the completions of a divided Job, so that it completes once in total and not once per
 * cluster.
 */
const completionsOf = (
  template: JsonObject,
  { replicas = 0, placement }: BindingSpec,
  targets: readonly TargetCluster[],
): ReadonlyMap<string, number> | undefined => {
  const completions = numberIn(template, 'spec', 'completions');
  const isDivided = placement?.replicaScheduling?.replicaSchedulingType === 'Divided';
  if (template.kind !== 'Job' || completions === undefined || replicas === 0 || !isDivided) {
    return undefined;
  }
  const parties = targets.map((target) => ({ name: target.name, votes: target.replicas ?? 0 }));
  const seats = webster(completions, parties, textIn(template, 'metadata', 'uid'));
  return seats.length === 0 ? undefined : new Map(seats.map((one) => [one.name, one.seats]));
};

/** The labels with state saved from a failed cluster, for the copy that replaces it. */
const savedLabels = (
  { gracefulEvictionTasks = [] }: BindingSpec,
  target: TargetCluster,
  targets: readonly TargetCluster[],
) => {
  const task = gracefulEvictionTasks.at(-1);
  const isSuccessor =
    targets.length === 1 &&
    task?.purgeMode === 'Directly' &&
    !(task.clustersBeforeFailover ?? []).includes(target.name);
  return isSuccessor ? (task.preservedLabelState ?? {}) : {};
};

/**
 * Renders the shares of all clusters. The scheduler's replica numbers apply even to duplicated
 * work: the template may have changed since the decision.
 */
export const shareOut = (
  template: JsonObject,
  spec: BindingSpec,
  targets: readonly TargetCluster[],
  { revise }: KindInterpreter,
): ShareOut => {
  const completions = completionsOf(template, spec, targets);
  return (target) => {
    const revision =
      isWorkload(spec) && revise !== undefined ? revise(template, target.replicas ?? 0) : template;
    const division =
      completions === undefined
        ? revision
        : withField(revision, ['spec', 'completions'], completions.get(target.name) ?? 0);
    const stateLabels = savedLabels(spec, target, targets);
    return Object.keys(stateLabels).length === 0
      ? division
      : withWords(division, 'labels', stateLabels);
  };
};
