import { type FieldError, invalid, required } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { parseQuantity } from '../../values/quantity-text.ts';

/** The policies that bind a pod to some cores of its node. */
const BINDING = ['best-effort', 'restricted', 'single-numa-node'];

const amounts = (container: JsonObject): JsonObject => {
  const { resources } = container;
  const { requests, limits } = isJsonObject(resources) ? resources : {};
  if (isJsonObject(requests) && Object.keys(requests).length > 0) return requests;
  return isJsonObject(limits) ? limits : {};
};

const isWhole = (cpu: JsonValue): boolean => {
  try {
    const { units, nanos } = parseQuantity(String(cpu));
    return units > 0 && nanos === 0;
  } catch {
    return true;
  }
};

const checkContainer = (container: JsonObject, at: string): readonly FieldError[] => {
  const { cpu } = amounts(container);
  const field = `${at}.resources.requests[cpu]`;
  const why = 'a topologyPolicy needs whole cores in every container';
  if (cpu === undefined) return [required(field, why)];
  return isWhole(cpu) ? [] : [invalid(field, cpu, why)];
};

/** Only whole cores can be kept together. What is not a quantity is left to the schema. */
export const checkTopologyPolicy = (task: JsonObject, at: string): readonly FieldError[] => {
  const { topologyPolicy, template } = task;
  const spec = isJsonObject(template) ? template.spec : undefined;
  if (!BINDING.includes(String(topologyPolicy)) || !isJsonObject(spec)) return [];
  return ['containers', 'initContainers'].flatMap((list) => {
    const containers = spec[list];
    if (!Array.isArray(containers)) return [];
    return containers.flatMap((container, index) =>
      isJsonObject(container)
        ? checkContainer(container, `${at}.template.spec.${list}[${index}]`)
        : [],
    );
  });
};
