import { listMap, map, object, quantity, string } from '@perigee/schema/structural/builder';
import { check, node, optional, type StoredOf } from '@perigee/schema/structural/schema';

const amount = () =>
  // A bound, because rules that read amounts are costed by the longest possible one.
  node<number | string>({
    ...quantity('The amount, such as 500m, 2Gi or 4.').openapi,
    maxLength: 64,
  });

/** Amounts by resource name: `cpu: 500m`, `memory: 2Gi`, `nvidia.com/gpu: 1`. */
export const resourceList = (description: string) => map(description, amount());

/**
 * Amounts by resource name as a quota takes them: none is below zero, and what can only be had whole
 * is whole. Few enough for rules to go through them.
 */
export const quotaResourceList = (description: string) =>
  check(
    map(
      description,
      check(amount(), {
        rule: "quantity(string(self)).compareTo(quantity('0')) >= 0",
        message: 'must not be negative',
      }),
      { maxProperties: 256 },
    ),
    {
      rule: "self.all(r, (r != 'pods' && (!r.contains('/') || r.contains('kubernetes.io/'))) || quantity(string(self[r])).isInteger())",
      message: 'pods, and resources of devices such as nvidia.com/gpu, come in whole numbers only',
    },
  );

/** Requests and limits of a container. */
export const resourceRequirements = (description: string) =>
  object(description, {
    requests: optional(resourceList('What is set aside, and what scheduling counts with.')),
    limits: optional(resourceList('The most that may be used.')),
    claims: optional(
      listMap(
        'The resource claims of the pod that the container uses.',
        ['name'],
        object('The use of one claim.', {
          name: string('The name of an entry of the pod’s resourceClaims.', { minLength: 1 }),
          request: optional(string('One request of that claim; all of them when left out.')),
        }),
      ),
    ),
  });

export type ResourceList = StoredOf<ReturnType<typeof resourceList>>;
export type ResourceRequirements = StoredOf<ReturnType<typeof resourceRequirements>>;
