import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';

/** Machines of one size. */
export interface Machines {
  readonly flavor: string;
  readonly count: number;
  readonly cpu: number;
  readonly memoryGi: number;
}

const GIB_PER_CORE = 4;
const DEFAULT_MACHINES: Machines = { flavor: 'xlarge', count: 3, cpu: 8, memoryGi: 32 };

const CORES: { readonly [flavor: string]: number } = { small: 1, medium: 2, large: 4, xlarge: 8 };

/** `2xlarge` is two of `xlarge`, and so on. */
const coresOf = (flavor: string): number | undefined => {
  const [, times] = /^(\d{1,2})xlarge$/.exec(flavor) ?? [];
  return times === undefined ? CORES[flavor] : Number(times) * 8;
};

/** Precise enough: no virtual member has that many machines. */
const asNumber = (amount: number | bigint | undefined): number | undefined =>
  amount === undefined ? undefined : Number(amount);

/** Splits an amount into equal machines, as few as possible of at most the default size. */
const spread = (cpu: number, memoryGi: number): Machines => {
  const most = DEFAULT_MACHINES;
  const count = Math.max(1, Math.ceil(cpu / most.cpu));
  return {
    flavor: most.flavor,
    count,
    cpu: Math.max(1, Math.floor(cpu / count)),
    memoryGi: Math.max(1, Math.floor(memoryGi / count)),
  };
};

/**
 * The machines of a virtual member: as many as its flavors count, sized by the flavor name. An
 * unknown name takes an equal share of the capacities. Without flavors, the capacities are split
 * into machines; without either there are three.
 */
export const memberMachines = ({ spec }: Pick<ClusterRecord, 'spec'>): readonly Machines[] => {
  const flavors = (spec.flavors ?? []).map(({ flavorID, totalCapacity }) => ({
    flavorID,
    totalCapacity: Number(totalCapacity),
  }));
  const cpuCapacity = asNumber(spec.cpuCapacity);
  const memCapacity = asNumber(spec.memCapacity);
  if (flavors.length === 0) {
    if (cpuCapacity === undefined && memCapacity === undefined) return [DEFAULT_MACHINES];
    const cpu = cpuCapacity ?? Math.ceil((memCapacity ?? 0) / GIB_PER_CORE);
    return [spread(cpu, memCapacity ?? cpu * GIB_PER_CORE)];
  }
  const all = flavors.reduce((sum, { totalCapacity }) => sum + totalCapacity, 0);
  const share = (capacity: number | undefined, otherwise: number): number =>
    capacity === undefined ? otherwise : Math.max(1, Math.floor(capacity / Math.max(1, all)));
  return flavors.map(({ flavorID, totalCapacity: count }) => {
    const cpu = coresOf(flavorID);
    if (cpu !== undefined) return { flavor: flavorID, count, cpu, memoryGi: cpu * GIB_PER_CORE };
    const own = share(cpuCapacity, DEFAULT_MACHINES.cpu);
    return {
      flavor: flavorID,
      count,
      cpu: own,
      memoryGi: share(memCapacity, own * GIB_PER_CORE),
    };
  });
};
