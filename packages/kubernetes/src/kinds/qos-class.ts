import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt } from '@perigee/schema/json-fields';
import { compareQuantities, signOfQuantity } from '@perigee/schema/values/quantity';
import { readQuantity } from './quantities.ts';

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

const COMPUTE = ['cpu', 'memory'];

const positiveQuantities = (resources: JsonObject, list: 'limits' | 'requests') =>
  COMPUTE.flatMap((name) => {
    const quantity = readQuantity(objectAt(resources, list)[name]);
    return quantity !== undefined && signOfQuantity(quantity) > 0 ? [{ name, quantity }] : [];
  });

/** QoS class of a pod, by which a node evicts pods under pressure; it follows from requests and limits. */
export const qosClassOf = (spec: JsonObject): QosClass => {
  const resources =
    spec.resources === undefined
      ? [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].map((container) =>
          objectAt(container, 'resources'),
        )
      : [objectAt(spec, 'resources')];
  const asks = resources.map((resource) => ({
    limits: positiveQuantities(resource, 'limits'),
    requests: positiveQuantities(resource, 'requests'),
  }));
  if (asks.every(({ limits, requests }) => limits.length === 0 && requests.length === 0)) {
    return 'BestEffort';
  }
  const isGuaranteed = asks.every(
    ({ limits, requests }) =>
      limits.length === COMPUTE.length &&
      requests.every(({ name, quantity }) =>
        limits.some(
          (limit) => limit.name === name && compareQuantities(limit.quantity, quantity) === 0,
        ),
      ),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
};
