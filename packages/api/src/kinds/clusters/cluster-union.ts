import { int32, int64, list, object } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import {
  cpuCapacity,
  eipCapacity,
  flavorFields,
  geoLocationFields,
  memCapacity,
  operatorFields,
  regionFields,
  storageFields,
} from './inventory-fragments.ts';

const countFields = {
  clusterCount: int32('How many of the clusters have it.', { minimum: 1 }),
};

const amounts = {
  eipCapacity: optional(eipCapacity()),
  cpuCapacity: optional(cpuCapacity()),
  memCapacity: optional(memCapacity()),
};

const flavors = () =>
  list(
    'The machine sizes, with their numbers added up.',
    object('One machine size.', { ...flavorFields, ...countFields }),
  );

const price = (description: string) => int64(description, { minimum: 0 });

/**
 * Schema of the capacity of several clusters together. Each entry counts the clusters that share it, so that one of
 * them can leave without taking away an entry of another. A geography also carries the largest
 * amounts of a single cluster: a sum cannot say whether anything fits in one place.
 */
export const clusterUnion = (description: string) =>
  object(description, {
    geoLocations: optional(
      list(
        'The places, each with what is there.',
        object('One place.', {
          ...geoLocationFields,
          ...countFields,
          ...amounts,
          flavors: optional(flavors()),
          largest: optional(object('The most that one cluster of the place has.', amounts)),
          lowestServerPrice: optional(price('What a server costs where it is cheapest.')),
        }),
      ),
    ),
    regions: optional(
      list('The regions and zones.', object('One zone.', { ...regionFields, ...countFields })),
    ),
    operators: optional(
      list('The operators.', object('One operator.', { ...operatorFields, ...countFields })),
    ),
    flavors: optional(flavors()),
    storage: optional(
      list(
        'The kinds of storage, with their sizes added up.',
        object('One kind of storage.', { ...storageFields, ...countFields }),
      ),
    ),
    ...amounts,
    lowestServerPrice: optional(price('What a server costs where it is cheapest.')),
    highestServerPrice: optional(price('What a server costs where it is dearest.')),
  });

export type ClusterUnion = StoredOf<ReturnType<typeof clusterUnion>>;
