import type {
  NodeClaim,
  ReplicaRequirements,
} from '@perigee/api/kinds/placement/replica-requirements';
import {
  formatResourceList,
  maxResourceList,
  parseResourceList,
  type ResourceList,
  sumResourceLists,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { isZeroQuantity } from '@perigee/schema/values/quantity';
import { objectIn, objectsIn, pick } from './fields.ts';

const listOf = (list: JsonObject): ResourceList => parseResourceList(list as WrittenResourceList);

/** The requests of a container; limits stand in for missing requests. */
const requestsOf = (container: JsonObject): ResourceList =>
  listOf({
    ...objectIn(container, 'resources', 'limits'),
    ...objectIn(container, 'resources', 'requests'),
  });

/**
 * The requests of a pod: the sum of its containers, at least its largest init container, plus
 * overhead.
 */
export const podRequests = (podSpec: JsonObject): ResourceList => {
  const containers = sumResourceLists(objectsIn(podSpec, 'containers').map(requestsOf));
  const largest = objectsIn(podSpec, 'initContainers')
    .map(requestsOf)
    .reduce(maxResourceList, containers);
  return sumResourceLists([largest, listOf(objectIn(podSpec, 'overhead'))]);
};

/** The node constraints of a pod besides resources; undefined if it has none. */
export const nodeClaimOf = (podSpec: JsonObject): NodeClaim | undefined => {
  const affinity = objectIn(podSpec, 'affinity', 'nodeAffinity');
  const hard = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  const claim = {
    ...present({ hardNodeAffinity: hard }),
    ...pick(podSpec, ['nodeSelector']),
    ...(objectsIn(podSpec, 'tolerations').length === 0 ? {} : pick(podSpec, ['tolerations'])),
  };
  return Object.keys(claim).length === 0 ? undefined : (claim as NodeClaim);
};

/** The requirements of one pod; undefined if it has none. */
export const podRequirements = (podSpec: JsonObject): ReplicaRequirements | undefined => {
  const requests = new Map(
    [...podRequests(podSpec)].filter(([, quantity]) => !isZeroQuantity(quantity)),
  );
  const nodeClaim = nodeClaimOf(podSpec);
  if (nodeClaim === undefined && requests.size === 0) return undefined;
  return {
    ...present({
      nodeClaim,
      resourceRequest: requests.size === 0 ? undefined : formatResourceList(requests),
    }),
  } as ReplicaRequirements;
};
