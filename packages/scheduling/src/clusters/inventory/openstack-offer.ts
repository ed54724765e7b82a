import type { JsonObject } from '@perigee/api/json';
import type { Offer } from './finding.ts';

/** What an OpenStack cloud says of itself, as its services write it. */
export interface CloudFigures {
  /** The absolute limits of Nova. */
  readonly compute: JsonObject;
  /** The absolute limits of Cinder, where there is one. */
  readonly volume?: JsonObject;
  /** The statistics of the hypervisors, which only administrators see. */
  readonly hypervisors?: JsonObject;
  readonly flavors: readonly JsonObject[];
  readonly volumeTypes?: readonly JsonObject[];
}

const INSTANCES = 'globalscheduler.com/instances';
const VOLUMES = 'globalscheduler.com/volumes';

/** Also what is no number, and the -1 that stands for no limit. */
const UNLIMITED = Number.POSITIVE_INFINITY;

const limit = (figures: JsonObject | undefined, name: string): number => {
  const value = figures?.[name];
  return typeof value === 'number' && value >= 0 ? value : UNLIMITED;
};

const used = (figures: JsonObject | undefined, name: string): number => {
  const value = limit(figures, name);
  return value === UNLIMITED ? 0 : value;
};

interface Amount {
  readonly resource: string;
  readonly most: number;
  readonly taken: number;
  readonly unit?: string;
}

/** The project may not have more than its quota, nor more than there is. */
const amountsOf = ({ compute, volume, hypervisors }: CloudFigures): readonly Amount[] => [
  {
    resource: 'cpu',
    most: Math.min(limit(compute, 'maxTotalCores'), limit(hypervisors, 'vcpus')),
    taken: used(compute, 'totalCoresUsed'),
  },
  {
    resource: 'memory',
    most: Math.min(limit(compute, 'maxTotalRAMSize'), limit(hypervisors, 'memory_mb')),
    taken: used(compute, 'totalRAMUsed'),
    unit: 'Mi',
  },
  {
    resource: INSTANCES,
    most: limit(compute, 'maxTotalInstances'),
    taken: used(compute, 'totalInstancesUsed'),
  },
  {
    resource: 'storage',
    most: limit(volume, 'maxTotalVolumeGigabytes'),
    taken: used(volume, 'totalGigabytesUsed'),
    unit: 'Gi',
  },
  {
    resource: VOLUMES,
    most: limit(volume, 'maxTotalVolumes'),
    taken: used(volume, 'totalVolumesUsed'),
  },
];

const listed = (amounts: readonly Amount[], of: 'most' | 'taken') =>
  Object.fromEntries(
    amounts
      .filter(({ most }) => most !== UNLIMITED)
      .map(({ resource, unit = '', [of]: value }) => [resource, `${value}${unit}`]),
  );

/** Stands for as many as anybody may want; so many clouds can be added up. */
const ANY_NUMBER = 1_000_000_000;

/** How many of the size there can be at most. */
const fitting = (most: readonly (readonly [limit: number, each: number])[]): number => {
  const fits = most.map(([all, each]) => (each > 0 ? Math.floor(all / each) : UNLIMITED));
  const count = Math.min(...fits);
  return Math.min(count, ANY_NUMBER);
};

const MOST_FLAVORS = 256;
const MOST_TYPES = 64;

const LONGEST_NAME = 63;

const nameOf = ({ name, id }: JsonObject): string =>
  String(name ?? id ?? '').slice(0, LONGEST_NAME);

/** What the cloud has for the project, what of it is taken, and in which sizes it is offered. */
export const openStackOffer = (figures: CloudFigures): Offer => {
  const amounts = amountsOf(figures);
  const mostOf = (resource: string) =>
    amounts.find((amount) => amount.resource === resource)?.most ?? UNLIMITED;
  const flavors = figures.flavors
    .filter((flavor) => nameOf(flavor) !== '')
    .map((flavor) => {
      const cpu = used(flavor, 'vcpus');
      const memory = used(flavor, 'ram');
      const totalCapacity = fitting([
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
  const capacity = listed(amounts, 'most');
  return {
    capacity,
    allocatable: capacity,
    allocated: listed(amounts, 'taken'),
    flavors,
    ...(storageTypes.length === 0 ? {} : { storageTypes }),
  };
};
