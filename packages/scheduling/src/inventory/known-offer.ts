import type { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import { parseQuantity } from '@perigee/api/values/quantity-text';

type Spec = Cluster['spec'];

/** What a cluster offers, in the units of its record. */
export type KnownOffer = Pick<Spec, 'flavors' | 'cpuCapacity' | 'memCapacity'>;

const GIB = 2 ** 30;

/** Whole units, cut off, as records have them. */
const whole = (amount: string | number | undefined, unit: number): number | undefined => {
  if (amount === undefined) return undefined;
  return Math.floor(Number(parseQuantity(amount).units) / unit);
};

const told = <K extends string, T>(name: K, value: T | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in K]?: T };

/** What the record says that a cluster offers; where it says nothing, what the cluster itself said last. */
export const knownOffer = ({ spec, status = {} }: Pick<Cluster, 'spec' | 'status'>): KnownOffer => {
  const { capacity = {}, flavors } = status;
  const seen = flavors?.map(({ flavorID, totalCapacity }) => ({ flavorID, totalCapacity }));
  return {
    ...told('flavors', spec.flavors ?? seen),
    ...told('cpuCapacity', spec.cpuCapacity ?? whole(capacity.cpu, 1)),
    ...told('memCapacity', spec.memCapacity ?? whole(capacity.memory, GIB)),
  };
};
