import { type FieldError, InvalidObjectError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { list, object, string } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { labelSelector } from '../../fragments/fragments.ts';
import { mapItems, mapObject, objectAt } from '../../kind/reshape.ts';
import { MAX_SELECTORS } from './limits.ts';

const resourceSelector = () =>
  object('Selects resources of one kind.', {
    apiVersion: string('The API version of the resources, such as apps/v1.', { minLength: 1 }),
    kind: string('The kind of the resources, such as Deployment.', { minLength: 1 }),
    namespace: optional(
      string(
        'The namespace of the resources. In a policy with a namespace it is that namespace; otherwise every namespace when left out.',
      ),
    ),
    name: optional(string('The name of one resource; every resource when left out.')),
    labelSelector: optional(
      labelSelector('Keeps the resources whose labels match; has no effect beside a name.'),
    ),
  });

/** Schema of the selectors of a policy, which applies to resources that match any of them. */
export const resourceSelectors = (description: string, checks: { minItems?: number } = {}) =>
  list(description, resourceSelector(), { ...checks, maxItems: MAX_SELECTORS });

/**
 * Keeps the selectors of a policy within its own namespace. No CEL rule can do it: a rule sees the
 * name of an object but not its namespace.
 */
export const selectOwnNamespace = (policy: JsonObject): JsonObject => {
  const namespace = objectAt(policy, 'metadata')?.namespace;
  if (typeof namespace !== 'string' || namespace === '') return policy;
  const errors: FieldError[] = [];
  const own = (selector: JsonObject, index: number): JsonObject => {
    if (!selector.namespace) return { ...selector, namespace };
    if (selector.namespace !== namespace) {
      errors.push(
        invalid(
          `spec.resourceSelectors[${index}].namespace`,
          selector.namespace,
          `must be ${namespace}, the namespace of the policy; the cluster-wide kind of policy can reach others`,
        ),
      );
    }
    return selector;
  };
  const result = mapObject(policy, 'spec', (spec) => mapItems(spec, 'resourceSelectors', own));
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return result;
};

export type ResourceSelector = StoredOf<ReturnType<typeof resourceSelector>>;
