import type { ResourceList } from '@perigee/api/values/resource-list';
import type { JsonObject } from '@perigee/schema/json';
import { RecentMap } from '@perigee/schema/recent-map';
import { quantityOf } from '@perigee/schema/values/quantity';
import { objectIn, objectsIn, textIn } from '../../interpreter/fields.ts';
import { nodeClaimOf, podRequests } from '../../interpreter/pod-requirements.ts';
import { NO_CLAIM, type ReadNodeClaim, readNodeClaim } from '../room/node-claim.ts';

/** The requests of a pod, and its node. */
export interface PodUsage {
  /** Absent while the pod is pending. */
  readonly node?: string;
  /** Includes the resource `pods`, 1. */
  readonly requests: ResourceList;
  /** The node constraints of a pending pod. */
  readonly claim?: ReadNodeClaim;
}

const FINISHED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);
const ONE = quantityOf(1);

/** More shapes than any fleet has; bounds the memory if all pods differ. */
const MOST_SHAPES = 10_000;

/** Cache of requests: equal pods share one object. */
export type PodShapes = RecentMap<string, ResourceList>;
export const newPodShapes = (): PodShapes => new RecentMap(MOST_SHAPES);

const shapeOf = (podSpec: JsonObject): string => {
  const resources = (field: string) =>
    objectsIn(podSpec, field).map((container) => container.resources ?? null);
  return JSON.stringify([
    resources('containers'),
    resources('initContainers'),
    podSpec.overhead ?? null,
  ]);
};

const requestsOf = (podSpec: JsonObject, shapes: PodShapes): ResourceList => {
  const shape = shapeOf(podSpec);
  const cachedRequests = shapes.get(shape);
  if (cachedRequests !== undefined) return cachedRequests;
  const requests = new Map([...podRequests(podSpec), ['pods', ONE] as const]);
  shapes.set(shape, requests);
  return requests;
};

/** The usage of a pod; undefined once it has finished. */
export const podUsage = (pod: JsonObject, shapes = newPodShapes()): PodUsage | undefined => {
  if (FINISHED.has(textIn(pod, 'status', 'phase'))) return undefined;
  const node = textIn(pod, 'spec', 'nodeName');
  const requests = requestsOf(objectIn(pod, 'spec'), shapes);
  if (node !== '') return { node, requests };
  const claim = nodeClaimOf(objectIn(pod, 'spec'));
  return { requests, claim: claim === undefined ? NO_CLAIM : readNodeClaim(claim) };
};
