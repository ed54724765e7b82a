import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import { parseQuantity } from '@perigee/schema/values/quantity-text';
import { toWhole, type Whole } from '../sharding/whole-number.ts';

type Spec = ClusterRecord['spec'];

/** Capacity and flavors of a cluster, in the units of its record. */
export type KnownOffer = Pick<Spec, 'flavors' | 'cpuCapacity' | 'memCapacity'>;

const GIB = 2n ** 30n;

/**
 * Truncates to whole units, as records have them. Undefined for an invalid or negative quantity.
 */
const whole = (amount: string | number | undefined, unit: bigint): Whole | undefined => {
  if (amount === undefined) return undefined;
  try {
    const { units } = parseQuantity(amount);
    return units < 0 ? undefined : toWhole(BigInt(units) / unit);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

/** The offer stated in the record; where it states nothing, the last one the cluster reported. */
export const knownOffer = ({
  spec,
  status = {},
}: Pick<ClusterRecord, 'spec' | 'status'>): KnownOffer => {
  const { capacity = {}, flavors } = status;
  const observedFlavors = flavors?.map(({ flavorID, totalCapacity }) => ({
    flavorID,
    totalCapacity,
  }));
  return present({
    flavors: spec.flavors ?? observedFlavors,
    cpuCapacity: spec.cpuCapacity ?? whole(capacity.cpu, 1n),
    memCapacity: spec.memCapacity ?? whole(capacity.memory, GIB),
  });
};
