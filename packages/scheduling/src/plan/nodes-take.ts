import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import { OverrideError } from '../errors.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { placementRequest } from '../placement/scheduler/placement-request.ts';
import { daemonFits, isDaemonSet } from './daemon-nodes.ts';
import { applyOverrides } from './override-changes.ts';
import type { PlanState } from './plan-state.ts';
import { keyOf, templateKey } from './world.ts';

interface Reported {
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly active?: number;
  readonly readyReplicas?: number;
}

/** The pods of work in a cluster that need no further room, by what it reports and by the room for more. */
type CountPods = (reported: Reported, freePods: number) => number;

/** Pods that are not ready are on nodes, too. */
const existingPods: CountPods = ({ replicas, active, readyReplicas }) =>
  replicas ?? active ?? readyReplicas ?? 0;

/** Pods of an earlier version. */
const outdatedPods = ({ replicas = 0, updatedReplicas = replicas }: Reported): number =>
  Math.max(0, replicas - updatedReplicas);

/**
 * Of these alone it is certain that they have a node. Where there is room for one pod of the newest version, each that
 * gets ready frees that of an earlier one for the next.
 */
const readyPods: CountPods = (reported, freePods) => {
  const outdated = outdatedPods(reported);
  const updated = Math.max(0, (reported.readyReplicas ?? 0) - outdated);
  return updated + (freePods > 0 ? outdated : 0);
};

const reportedIn = (before: Binding | undefined, cluster: string): Reported =>
  (before?.status?.aggregatedStatus?.find(({ clusterName }) => clusterName === cluster)?.status ??
    {}) as Reported;

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
    // The member alone checks the result of an override, and its author is one tenant of many.
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
  binding: Binding,
  countPods: CountPods = existingPods,
): readonly NodeShortage[] => {
  const { world, touchedBindings } = state;
  const { metadata, spec, status } = binding;
  const requestIn = (one: BindingSpec) => placementRequest(one, status ?? {}, spec.placement ?? {});
  const { isWorkload, set } = requestIn(spec);
  if (!isWorkload || set !== undefined) return [];
  const key = keyOf(metadata);
  const before = touchedBindings.has(key) ? touchedBindings.get(key) : binding;
  return (spec.clusters ?? []).flatMap(({ name, replicas = 0 }): readonly NodeShortage[] => {
    const free = world.spaces.get(name)?.free;
    const { kind } = requestIn(specIn(state, spec, name));
    if (free === undefined || !free.covers(kind.claim)) return [];
    const reported = reportedIn(before, name);
    const freePods = free.podsFor(kind);
    const fit = freePods + countPods(reported, freePods);
    return replicas <= fit ? [] : [{ cluster: name, replicas, fit }];
  });
};

/** False if the nodes of a cluster are known, and lack room for pods of the work there that are not ready. */
export const nodesTake = (state: PlanState, binding: Binding): boolean => {
  const { resource, clusters = [] } = binding.spec;
  const template = state.templates.get(templateKey(resource));
  return template !== undefined && isDaemonSet(template)
    ? clusters.every(({ name }) => daemonFits(state, binding, template, name))
    : nodeShortages(state, binding, readyPods).length === 0;
};
