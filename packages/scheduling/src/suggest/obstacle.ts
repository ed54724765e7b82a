import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { basePlacementOf } from '../data/data-marks.ts';
import { OverrideError } from '../errors.ts';
import { namesIn } from '../explain/stages/placement-stage.ts';
import { brakeOf } from '../explain/stages/template-stage.ts';
import { objectIn } from '../interpreter/fields.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import { apiKey } from '../placement/scheduler/cluster-facts.ts';
import { skipsMembers } from '../placement/work/synced-namespace.ts';
import { CONFLICT_RESOLUTION } from '../placement/work/work-names.ts';
import { nodesTake } from '../plan/nodes-take.ts';
import { applyOverrides } from '../plan/override-changes.ts';
import type { PlanState } from '../plan/plan-state.ts';
import { keyOf } from '../plan/world.ts';

/** A reason why placed work does not run, outside of the scheduler's decision. */
export type Obstacle =
  /** Work does not run in this cluster. */
  | { readonly kind: 'cluster'; readonly cluster: string; readonly why: string }
  /** The policy names a cluster that cannot be used, for a reason of the filters. */
  | { readonly kind: 'left-out'; readonly cluster: string; readonly reason: string }
  /** The member has an unmanaged object of that name. */
  | { readonly kind: 'conflict'; readonly cluster: string; readonly live: JsonObject }
  /** The cluster does not serve the kind, or no longer. */
  | { readonly kind: 'api'; readonly cluster: string }
  /** No node of the cluster takes the pods. */
  | { readonly kind: 'nodes'; readonly cluster: string }
  /** The pods need an object of the same namespace that the member does not have. */
  | { readonly kind: 'dependency'; readonly of: string; readonly name: string }
  /** The members do not have the namespace. */
  | { readonly kind: 'namespace' }
  /** An override policy cannot be applied, or makes an object that no member takes, or that this one refused. */
  | { readonly kind: 'override'; readonly refusedIn?: string }
  /** The work has zero replicas. */
  | { readonly kind: 'idle' }
  /** The object itself is suspended or paused. */
  | { readonly kind: 'paused' };

/** The selector of a workload must match the labels of its pods. */
const isConsistent = (object: JsonObject): boolean => {
  const labels = objectIn(object, 'spec', 'template', 'metadata', 'labels');
  const selectorLabels = Object.entries(objectIn(object, 'spec', 'selector', 'matchLabels'));
  return selectorLabels.every(([key, value]) => labels[key] === value);
};

const isMadeForAll = (state: PlanState, { spec }: Binding, template: Template): boolean => {
  try {
    return (spec.clusters ?? []).every(({ name }) => {
      const cluster = state.room.get(name);
      return cluster === undefined || isConsistent(applyOverrides(state, template, cluster));
    });
  } catch (error) {
    if (error instanceof OverrideError) return false;
    throw error;
  }
};

const isOverridden = (state: PlanState, template: Template, name: string): boolean => {
  const cluster = state.room.get(name);
  return cluster !== undefined && !sameJson(applyOverrides(state, template, cluster), template);
};

/** Selectors are immutable, so an object with another one cannot be adopted; a Job never can. */
const canBecome = (live: JsonObject, template: Template): boolean =>
  template.kind !== 'Job' &&
  sameJson(
    objectIn(live, 'spec', 'selector'),
    objectIn(template as never as JsonObject, 'spec', 'selector'),
  );

const takesOver = ({ spec }: Binding, { metadata }: Template): boolean => {
  const resolution = metadata.annotations?.[CONFLICT_RESOLUTION];
  return (resolution ?? spec.conflictResolution?.toLowerCase()) === 'overwrite';
};

const dependsOn = (
  { world }: PlanState,
  template: Template,
  { of, name }: { readonly of: string; readonly name: string },
): boolean => {
  const { dependencies } = world.interpreter.of(template.apiVersion, template.kind);
  const all = dependencies?.(template as never as JsonObject) ?? [];
  return all.some((one) => one.kind === of && one.name === name);
};

/** True if the obstacle still blocks placed work. */
export const remains = (
  obstacle: Obstacle,
  state: PlanState,
  binding: Binding,
  template: Template,
): boolean => {
  const { metadata, spec } = binding;
  const isIn = (cluster: string) => (spec.clusters ?? []).some(({ name }) => name === cluster);
  switch (obstacle.kind) {
    case 'cluster':
      return isIn(obstacle.cluster);
    case 'left-out': {
      const placement = basePlacementOf(metadata) ?? spec.placement ?? {};
      return namesIn(placement).includes(obstacle.cluster) && !isIn(obstacle.cluster);
    }
    case 'conflict': {
      const isTaken = takesOver(binding, template) && canBecome(obstacle.live, template);
      return isIn(obstacle.cluster) && !isTaken;
    }
    case 'api': {
      const { apiVersion, kind } = spec.resource;
      const isServed = state.room.get(obstacle.cluster)?.apis.has(apiKey(apiVersion, kind));
      return isIn(obstacle.cluster) && isServed !== true;
    }
    case 'nodes':
      return !nodesTake(state, binding);
    case 'dependency':
      return spec.propagateDeps !== true || !dependsOn(state, template, obstacle);
    case 'namespace': {
      const namespace = state.namespaces.get(keyOf({ name: metadata.namespace ?? '' }));
      return namespace !== undefined && skipsMembers(namespace);
    }
    case 'override': {
      if (!isMadeForAll(state, binding, template)) return true;
      const { refusedIn } = obstacle;
      // Of the object without overrides it is known that an API server takes it.
      return refusedIn !== undefined && isIn(refusedIn) && isOverridden(state, template, refusedIn);
    }
    case 'idle':
      return spec.replicas === 0;
    case 'paused':
      return brakeOf(template as never as JsonObject) !== undefined;
  }
};
