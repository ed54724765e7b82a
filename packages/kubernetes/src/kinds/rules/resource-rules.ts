import { type FieldError, invalid, required } from '@perigee/schema/errors';
import { objectAt } from '@perigee/schema/json-fields';
import { checkQualifiedName } from '@perigee/schema/values/names';
import {
  compareQuantities,
  nanosOf,
  type Quantity,
  signOfQuantity,
} from '@perigee/schema/values/quantity';
import { formatQuantity } from '@perigee/schema/values/quantity-text';
import { readQuantities } from '../quantities.ts';
import type { Rule } from '../type-rules.ts';

const OF_CONTAINERS = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Resources that quotas count, and that nodes and claims have. */
const STANDARD = new Set([
  ...OF_CONTAINERS,
  'storage',
  'pods',
  'services',
  'secrets',
  'configmaps',
  'resourcequotas',
  'replicationcontrollers',
  'persistentvolumeclaims',
]);
const HUGE_PAGES = 'hugepages-';
const NANOS = 1_000_000_000n;

const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const mayBeOvercommitted = (name: string): boolean =>
  isNative(name) && !name.startsWith(HUGE_PAGES);

const checkName = (name: string, field: string): readonly FieldError[] => {
  const errors = checkQualifiedName(name).map((problem) => invalid(field, name, problem));
  if (name.includes('/')) return errors;
  const isKnown = name.startsWith(HUGE_PAGES) || OF_CONTAINERS.has(name);
  if (errors.length === 0 && !isKnown && !STANDARD.has(name)) {
    errors.push(invalid(field, name, 'must be a standard resource type or fully qualified'));
  }
  if (!isKnown) errors.push(invalid(field, name, 'must be a standard resource for containers'));
  return errors;
};

const checkAmount = (name: string, amount: Quantity, field: string): readonly FieldError[] => {
  const text = formatQuantity(amount);
  const errors: FieldError[] = [];
  if (signOfQuantity(amount) < 0) {
    errors.push(invalid(field, text, 'must be greater than or equal to 0'));
  }
  if (!isNative(name) && nanosOf(amount) % NANOS !== 0n) {
    errors.push(invalid(field, text, 'must be an integer'));
  }
  return errors;
};

/** Devices and huge pages cannot be shared out beyond what there is: request and limit are one. */
const checkRequest = (
  name: string,
  request: Quantity,
  limit: Quantity | undefined,
  path: string,
): readonly FieldError[] => {
  const isShared = mayBeOvercommitted(name);
  if (limit === undefined) {
    return isShared
      ? []
      : [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(request, limit);
  const relation = !isShared && order !== 0 ? 'equal to' : order > 0 ? 'less than or equal to' : '';
  return relation === ''
    ? []
    : [
        invalid(
          `${path}.requests`,
          formatQuantity(request),
          `must be ${relation} ${name} limit of ${formatQuantity(limit)}`,
        ),
      ];
};

export const resourceRequirementsRule: Rule = (resources, path) => {
  const limits = readQuantities(objectAt(resources, 'limits'));
  const requests = readQuantities(objectAt(resources, 'requests'));
  const check = (list: 'limits' | 'requests', name: string, amount: Quantity) => [
    ...checkName(name, `${path}.${list}[${name}]`),
    ...checkAmount(name, amount, `${path}.${list}[${name}]`),
  ];
  return [
    ...Array.from(limits, ([name, amount]) => check('limits', name, amount)).flat(),
    ...Array.from(requests, ([name, amount]) => [
      ...check('requests', name, amount),
      ...checkRequest(name, amount, limits.get(name), path),
    ]).flat(),
  ];
};
