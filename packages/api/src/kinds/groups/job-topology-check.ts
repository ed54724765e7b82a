import { type FieldError, invalid, ParseError, required } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { parseQuantity } from '@perigee/schema/values/quantity-text';
import { itemsAt, type Located, objectAt } from '../../kind/reshape.ts';

/** The policies that bind a pod to some cores of its node. */
const BINDING: readonly (JsonValue | undefined)[] = [
  'best-effort',
  'restricted',
  'single-numa-node',
];

const amounts = (container: JsonObject): JsonObject => {
  const resources = objectAt(container, 'resources');
  const requests = objectAt(resources, 'requests');
  if (requests && Object.keys(requests).length > 0) return requests;
  return objectAt(resources, 'limits') ?? {};
};

const isWhole = (cpu: JsonValue): boolean => {
  if (typeof cpu !== 'string' && typeof cpu !== 'number') return true;
  try {
    const { units, nanos } = parseQuantity(cpu);
    return units > 0 && nanos === 0;
  } catch (error) {
    if (error instanceof ParseError) return true;
    throw error;
  }
};

const checkContainer = ([container, at]: Located): readonly FieldError[] => {
  const { cpu } = amounts(container);
  const field = `${at}.resources.requests[cpu]`;
  const why = 'a topologyPolicy needs whole cores in every container';
  if (cpu === undefined) return [required(field, why)];
  return isWhole(cpu) ? [] : [invalid(field, cpu, why)];
};

/** Only whole cores can be kept together. What is not a quantity is left to the schema. */
export const checkTopologyPolicy = ([task, at]: Located): readonly FieldError[] => {
  const podSpec = objectAt(objectAt(task, 'template'), 'spec');
  if (!BINDING.includes(task.topologyPolicy) || !podSpec) return [];
  const pod: Located = [podSpec, `${at}.template.spec`];
  return [...itemsAt(pod, 'containers'), ...itemsAt(pod, 'initContainers')].flatMap(checkContainer);
};
