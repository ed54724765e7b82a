import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { Offer } from './finding.ts';

/** Raw responses of an OpenStack cloud's services. */
export interface CloudFigures {
  /** Absolute limits of Nova. */
  readonly compute: JsonObject;
  /** Absolute limits of Cinder, if the cloud has it. */
  readonly volume?: JsonObject;
  /** Hypervisor statistics, visible to administrators only. */
  readonly hypervisors?: JsonObject;
  readonly flavors: readonly JsonObject[];
  readonly volumeTypes?: readonly JsonObject[];
}

const INSTANCES = 'globalscheduler.com/instances';
const VOLUMES = 'globalscheduler.com/volumes';

/** Also for values that are no number, and for -1, which OpenStack uses for no limit. */
const UNLIMITED = Number.POSITIVE_INFINITY;

const limit = (figures: JsonObject | undefined, name: string): number => {
  const value = figures?.[name];
  return typeof value === 'number' && value >= 0 ? value : UNLIMITED;
};

const usageOf = (figures: JsonObject | undefined, name: string): number => {
  const value = limit(figures, name);
  return value === UNLIMITED ? 0 : value;
};

interface Amount {
  readonly resource: string;
  readonly most: number;
  readonly usage: number;
  readonly unit?: string;
}

/** The project is bounded by its quota and by the hardware. */
const amountsOf = ({ compute, volume, hypervisors }: CloudFigures): readonly Amount[] => [
  {
    resource: 'cpu',
    most: Math.min(limit(compute, 'maxTotalCores'), limit(hypervisors, 'vcpus')),
    usage: usageOf(compute, 'totalCoresUsed'),
  },
  {
    resource: 'memory',
    most: Math.min(limit(compute, 'maxTotalRAMSize'), limit(hypervisors, 'memory_mb')),
    usage: usageOf(compute, 'totalRAMUsed'),
    unit: 'Mi',
  },
  {
    resource: INSTANCES,
    most: limit(compute, 'maxTotalInstances'),
    usage: usageOf(compute, 'totalInstancesUsed'),
  },
  {
    resource: 'storage',
    most: limit(volume, 'maxTotalVolumeGigabytes'),
    usage: usageOf(volume, 'totalGigabytesUsed'),
    unit: 'Gi',
  },
  {
    resource: VOLUMES,
    most: limit(volume, 'maxTotalVolumes'),
    usage: usageOf(volume, 'totalVolumesUsed'),
  },
];

const amountFields = (amounts: readonly Amount[], of: 'most' | 'usage') =>
  Object.fromEntries(
    amounts
      .filter(({ most }) => most !== UNLIMITED)
      .map(({ resource, unit = '', [of]: value }) => [resource, `${value}${unit}`]),
  );

/** Stands for unlimited, and still allows sums over many clouds. */
const ANY_NUMBER = 1_000_000_000;

/** The number of instances of a flavor that fit. */
const fittingCount = (most: readonly (readonly [limit: number, each: number])[]): number => {
  const fits = most.map(([all, each]) => (each > 0 ? Math.floor(all / each) : UNLIMITED));
  const count = Math.min(...fits);
  return Math.min(count, ANY_NUMBER);
};

const MOST_FLAVORS = 256;
const MOST_TYPES = 64;

const LONGEST_NAME = 63;

const nameOf = ({ name, id }: JsonObject): string =>
  String(name ?? id ?? '').slice(0, LONGEST_NAME);

/** The capacity of the project, its usage, and the flavors on offer. */
export const openStackOffer = (figures: CloudFigures): Offer => {
  const amounts = amountsOf(figures);
  const mostOf = (resource: string) =>
    amounts.find((amount) => amount.resource === resource)?.most ?? UNLIMITED;
  const flavors = figures.flavors
    .filter((flavor) => nameOf(flavor) !== '')
    .map((flavor) => {
      const cpu = usageOf(flavor, 'vcpus');
      const memory = usageOf(flavor, 'ram');
      const totalCapacity = fittingCount([
        [mostOf('cpu'), cpu],
        [mostOf('memory'), memory],
        [mostOf(INSTANCES), 1],
      ]);
      return { flavorID: nameOf(flavor), totalCapacity, cpu, memory };
    })
    .sort((a, b) => (a.flavorID < b.flavorID ? -1 : 1))
    .slice(0, MOST_FLAVORS);
  const storageTypes = (figures.volumeTypes ?? [])
    .map(nameOf)
    .filter((name) => name !== '')
    .sort()
    .slice(0, MOST_TYPES);
  const capacity = amountFields(amounts, 'most');
  return {
    capacity,
    allocatable: capacity,
    allocated: amountFields(amounts, 'usage'),
    flavors,
    ...present({ storageTypes: unlessEmpty(storageTypes) }),
  };
};
