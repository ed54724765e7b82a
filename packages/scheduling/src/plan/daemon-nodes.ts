import { ParseError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { readNodeClaim } from '../clusters/room/node-claim.ts';
import { OverrideError } from '../errors.ts';
import { objectIn } from '../interpreter/fields.ts';
import { podRequirements } from '../interpreter/pod-requirements.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import { type NodeGroup, type PodKind, takes } from '../placement/scheduler/estimate/node-group.ts';
import { nodeShape, podsOnNode } from '../placement/scheduler/estimate/node-shape.ts';
import { podShapeOf } from '../placement/scheduler/estimate/pod-shape.ts';
import { applyOverrides } from './override-changes.ts';
import type { PlanState } from './plan-state.ts';

const podKind = (object: JsonObject): PodKind => {
  const { resourceRequest, nodeClaim } =
    podRequirements(objectIn(object, 'spec', 'template', 'spec')) ?? {};
  return { shape: nodeShape(podShapeOf(resourceRequest)), claim: readNodeClaim(nodeClaim) };
};

export const isDaemonSet = ({ apiVersion, kind }: Template): boolean =>
  apiVersion === 'apps/v1' && kind === 'DaemonSet';

interface Reported {
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
}

const countNodes = (groups: readonly NodeGroup[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0);

/**
 * True if all nodes of a cluster that a DaemonSet is for have room for a pod of it, as far as nodes are counted.
 * Nothing is counted on that its present pods would free.
 */
export const daemonFits = (
  state: PlanState,
  { status }: Binding,
  template: Template,
  name: string,
): boolean => {
  const cluster = state.room.get(name);
  const item = (status?.aggregatedStatus ?? []).find(({ clusterName }) => clusterName === name);
  const { desiredNumberScheduled: wanted = 0, numberReady = 0 } = (item?.status ?? {}) as Reported;
  const isReady = wanted > 0 && numberReady >= wanted;
  if (cluster?.space === undefined || isReady) return true;
  try {
    const kind = podKind(applyOverrides(state, template, cluster));
    const meant = cluster.space.free.groups.filter((group) => takes(group, kind));
    const roomy = meant.filter(({ free, pods }) => podsOnNode(free, kind.shape, pods) > 0);
    // A cluster without any such node would run none of it.
    return countNodes(roomy) >= Math.max(1, wanted, countNodes(meant));
  } catch (error) {
    if (error instanceof OverrideError || error instanceof ParseError) return false;
    throw error;
  }
};
