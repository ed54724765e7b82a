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
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { isZeroQuantity } from '@perigee/schema/values/quantity';
import { objectIn, objectsIn } from './fields.ts';

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

const HARD = 'requiredDuringSchedulingIgnoredDuringExecution';

/** The node constraints of a pod besides resources; undefined if it has none. Overrides may write `null`, or nonsense. */
export const nodeClaimOf = (podSpec: JsonObject): NodeClaim | undefined => {
  const hard = objectIn(podSpec, 'affinity', 'nodeAffinity', HARD);
  const nodeSelectorTerms = objectsIn(hard, 'nodeSelectorTerms');
  const claim = present({
    hardNodeAffinity: Array.isArray(hard.nodeSelectorTerms)
      ? { ...hard, nodeSelectorTerms }
      : undefined,
    nodeSelector: isJsonObject(podSpec.nodeSelector) ? podSpec.nodeSelector : undefined,
    tolerations: unlessEmpty(objectsIn(podSpec, 'tolerations')),
  });
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
