import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import {
  parseResourceList,
  type ResourceList,
  sumResourceLists,
} from '@perigee/api/values/resource-list';
import { multiplyQuantity, quantityOf } from '@perigee/schema/values/quantity';
import type { QueuedWork } from '../placement/binding/queue-marks.ts';

const NONE: ResourceList = new Map();

/** The requests of this many pods, including the resource `pods`. */
export const podsAsking = (each: ResourceList, count: number): ResourceList => {
  if (count <= 0) return NONE;
  const all = new Map([...each].map(([resource, one]) => [resource, multiplyQuantity(one, count)]));
  return all.set('pods', quantityOf(count));
};

type Demand = Pick<BindingSpec, 'replicas' | 'replicaRequirements' | 'components'>;

/** The requests of the replicas in one cluster. */
export const requestsIn = (
  { replicaRequirements, components = [] }: Demand,
  { requests }: Pick<QueuedWork, 'requests'>,
  replicas: number,
): ResourceList => {
  if (requests !== undefined) return parseResourceList(requests);
  if (components.length > 0) {
    return sumResourceLists(
      components.map((one) =>
        podsAsking(parseResourceList(one.replicaRequirements?.resourceRequest), one.replicas),
      ),
    );
  }
  return podsAsking(parseResourceList(replicaRequirements?.resourceRequest), replicas);
};

/** The requests of one full copy. */
export const requestsOfCopy = (spec: Demand, work: Pick<QueuedWork, 'requests'>): ResourceList =>
  requestsIn(spec, work, spec.replicas ?? 0);
