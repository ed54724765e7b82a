import type { JsonObject } from '@perigee/api/json';
import type {
  NodeClaim,
  ReplicaRequirements,
} from '@perigee/api/kinds/placement/replica-requirements';
import { isZeroQuantity } from '@perigee/api/values/quantity';
import {
  formatResourceList,
  maxResourceList,
  parseResourceList,
  type ResourceList,
  sumResourceLists,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import { objectIn, objectsIn, pick } from './fields.ts';

const listOf = (written: JsonObject): ResourceList =>
  parseResourceList(written as WrittenResourceList);

/** What a container asks for; what it only limits, it asks for too. */
const requestsOf = (container: JsonObject): ResourceList =>
  listOf({
    ...objectIn(container, 'resources', 'limits'),
    ...objectIn(container, 'resources', 'requests'),
  });

/** What a pod asks for: all its containers together, or its largest init container if that is more. */
export const podRequests = (podSpec: JsonObject): ResourceList => {
  const containers = sumResourceLists(objectsIn(podSpec, 'containers').map(requestsOf));
  const largest = objectsIn(podSpec, 'initContainers')
    .map(requestsOf)
    .reduce(maxResourceList, containers);
  return sumResourceLists([largest, listOf(objectIn(podSpec, 'overhead'))]);
};

/** What a pod asks of nodes beside resources; nothing when it takes any. */
export const nodeClaimOf = (podSpec: JsonObject): NodeClaim | undefined => {
  const affinity = objectIn(podSpec, 'affinity', 'nodeAffinity');
  const hard = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  const claim = {
    ...(hard === undefined ? {} : { hardNodeAffinity: hard }),
    ...pick(podSpec, ['nodeSelector']),
    ...(objectsIn(podSpec, 'tolerations').length === 0 ? {} : pick(podSpec, ['tolerations'])),
  };
  return Object.keys(claim).length === 0 ? undefined : (claim as NodeClaim);
};

/** What a cluster must have for one pod; nothing when the pod asks for nothing. */
export const podRequirements = (podSpec: JsonObject): ReplicaRequirements | undefined => {
  const requests = new Map(
    [...podRequests(podSpec)].filter(([, quantity]) => !isZeroQuantity(quantity)),
  );
  const nodeClaim = nodeClaimOf(podSpec);
  if (nodeClaim === undefined && requests.size === 0) return undefined;
  return {
    ...(nodeClaim === undefined ? {} : { nodeClaim }),
    ...(requests.size === 0 ? {} : { resourceRequest: formatResourceList(requests) }),
  } as ReplicaRequirements;
};
