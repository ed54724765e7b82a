import { listMap, map, object, quantity, string } from './builder.ts';
import { optional, type StoredOf } from './schema.ts';

/** Amounts by resource name: `cpu: 500m`, `memory: 2Gi`, `nvidia.com/gpu: 1`. */
export const resourceList = (description: string, checks: { maxProperties?: number } = {}) =>
  map(description, quantity('The amount, such as 500m, 2Gi or 4.'), checks);

/** What a container asks for and may use at most. */
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
