import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { OverrideError } from '../errors.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import { applyPolicies, type OverridingPolicy } from '../placement/override/apply-policies.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { PlanState } from './plan-state.ts';
import { templateKey } from './world.ts';

const byScope = (policies: Iterable<OverridingPolicy>, namespace: string | undefined) => {
  const all = [...policies];
  return {
    cluster: all.filter(({ metadata }) => !metadata.namespace),
    namespaced: all.filter(
      ({ metadata }) => metadata.namespace && metadata.namespace === namespace,
    ),
  };
};

/** A template as overrides make it for a cluster. Throws an `OverrideError` when they cannot be applied. */
export const applyOverrides = (
  state: PlanState,
  template: Template,
  cluster: ClusterFacts,
): JsonObject => {
  const { yaml } = state.world;
  if (yaml === undefined) throw new OverrideError('no overrides were read');
  const policies = byScope(state.overrides.values(), template.metadata.namespace);
  return applyPolicies(template, cluster, policies, yaml).object;
};

/**
 * True if the overrides change the copy of a template in a cluster. Throws an `OverrideError` when they cannot be
 * applied.
 */
const isOther = (state: PlanState, template: Template, cluster: ClusterFacts): boolean => {
  const { overrides, yaml } = state.world;
  if (yaml === undefined) return false;
  const { namespace } = template.metadata;
  const now = applyPolicies(template, cluster, byScope(state.overrides.values(), namespace), yaml);
  try {
    const before = applyPolicies(template, cluster, byScope(overrides, namespace), yaml);
    return !sameJson(before.object, now.object);
  } catch (error) {
    // Overrides that failed before can be applied now.
    if (error instanceof OverrideError) return true;
    throw error;
  }
};

/** Records work whose copies change by override policies in its clusters; returns its bindings. */
export const reportOverrides = (state: PlanState): ReadonlySet<string> => {
  const changedBindings = new Set<string>();
  for (const [key, { spec }] of state.bindings) {
    const template = state.templates.get(templateKey(spec.resource));
    if (template === undefined) continue;
    const facts = (spec.clusters ?? []).flatMap(({ name }) => state.room.get(name) ?? []);
    try {
      const others = facts.filter((cluster) => isOther(state, template, cluster));
      if (others.length === 0) continue;
      state.concern(key);
      changedBindings.add(key);
      const names = others.map(({ name }) => name).join(', ');
      state.report(key, 'OverrideChanged', `it becomes another object in ${names}`);
    } catch (error) {
      if (!(error instanceof OverrideError)) throw error;
      state.concern(key);
      state.report(key, 'OverrideRefused', error.message);
    }
  }
  return changedBindings;
};
