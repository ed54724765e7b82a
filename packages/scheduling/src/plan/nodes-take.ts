import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import { OverrideError } from '../errors.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { placementRequest } from '../placement/scheduler/placement-request.ts';
import { applyOverrides } from './override-changes.ts';
import type { PlanState } from './plan-state.ts';
import { templateKey } from './world.ts';

/** The replicas in a cluster before the change. */
const runningIn = (before: Binding | undefined, cluster: string): number => {
  const item = before?.status?.aggregatedStatus?.find((one) => one.clusterName === cluster);
  const { readyReplicas } = (item?.status ?? {}) as { readonly readyReplicas?: number };
  return readyReplicas ?? 0;
};

/** The spec with the requirements that override policies give to the pods in a cluster. */
const specIn = (state: PlanState, spec: BindingSpec, name: string): BindingSpec => {
  const template = state.templates.get(templateKey(spec.resource));
  const cluster = state.room.get(name);
  const { yaml, interpreter } = state.world;
  if (template === undefined || cluster === undefined || yaml === undefined) return spec;
  const { demand } = interpreter.of(template.apiVersion, template.kind);
  if (demand === undefined || state.overrides.size === 0) return spec;
  try {
    const { requirements } = demand(applyOverrides(state, template, cluster));
    const { replicaRequirements: _, ...rest } = spec;
    return { ...rest, ...present({ replicaRequirements: requirements }) };
  } catch (error) {
    // What an override writes is checked by the member alone, and its author is one tenant of many.
    if (error instanceof OverrideError || error instanceof ParseError) return spec;
    throw error;
  }
};

/** A cluster whose nodes have room for fewer pods than the work has replicas there. */
export interface NodeShortage {
  readonly cluster: string;
  readonly replicas: number;
  readonly fit: number;
}

/** The clusters of work whose nodes are counted, and do not have the room for its pods. */
export const nodeShortages = (
  state: PlanState,
  { metadata, spec, status }: Binding,
): readonly NodeShortage[] => {
  const { world } = state;
  const requestIn = (one: BindingSpec) => placementRequest(one, status ?? {}, spec.placement ?? {});
  const { isWorkload, set } = requestIn(spec);
  if (!isWorkload || set !== undefined) return [];
  const before = world.bindings.find((one) => one.metadata.uid === metadata.uid);
  return (spec.clusters ?? []).flatMap(({ name, replicas = 0 }): readonly NodeShortage[] => {
    const free = world.spaces.get(name)?.free;
    const { kind } = requestIn(specIn(state, spec, name));
    if (free === undefined || !free.tells(kind.claim)) return [];
    const fit = free.podsFor(kind) + runningIn(before, name);
    return replicas <= fit ? [] : [{ cluster: name, replicas, fit }];
  });
};

/** False if the nodes of a cluster are known, and lack room for the pods of the work there. */
export const nodesTake = (state: PlanState, binding: Binding): boolean =>
  nodeShortages(state, binding).length === 0;
