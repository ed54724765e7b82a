import type { ClusterRecord, ClusterWritten } from '@perigee/api/kinds/clusters/cluster-record';
import { ConfigError } from '@perigee/kube/errors';
import type { NodeShape } from '@perigee/member/nodes/node-shape';
import { inventoryLabels } from '@perigee/scheduling/clusters/inventory/inventory-labels';
import { memberMachines } from '@perigee/scheduling/clusters/inventory/member-machines';
import { LIMITS } from '../perigee-options.ts';

/** A record of a member that `perigee up` brings along. */
export type PlannedMember = Pick<ClusterWritten, 'spec'> & {
  readonly metadata: {
    readonly name: string;
    readonly labels: { readonly [label: string]: string };
  };
};

interface Place {
  readonly geo: string;
  readonly operator: string;
  readonly region: string;
  readonly price: number;
  readonly geoLocation: NonNullable<ClusterRecord['spec']['geoLocation']>;
}

const PLACES: readonly [Place, ...Place[]] = [
  {
    geo: 'europe',
    operator: 'aurora',
    region: 'eu-west',
    price: 10,
    geoLocation: { city: 'Dublin', province: 'Leinster', area: 'East', country: 'IE' },
  },
  {
    geo: 'america',
    operator: 'boreal',
    region: 'us-east',
    price: 12,
    geoLocation: { city: 'Ashburn', province: 'Virginia', area: 'East', country: 'US' },
  },
  {
    geo: 'asia',
    operator: 'cirrus',
    region: 'ap-south',
    price: 8,
    geoLocation: { city: 'Mumbai', province: 'Maharashtra', area: 'West', country: 'IN' },
  },
];

/** The node flavor of all planned members. */
const FLAVOR = { flavorID: 'xlarge', cpu: 8, memoryGi: 32 };

/** The records of `members` virtual members, spread over three continents. */
export const planMembers = (members: number, nodes: number): readonly PlannedMember[] =>
  Array.from({ length: members }, (_, at) => {
    const { geo, operator, region, price, geoLocation } = PLACES[at % PLACES.length] ?? PLACES[0];
    const round = Math.floor(at / PLACES.length) + 1;
    return {
      metadata: { name: `member${at + 1}`, labels: { geo } },
      spec: {
        type: 'virtual',
        geoLocation,
        region: { region, availabilityZone: `${region}-${round}` },
        operator: { operator },
        flavors: [{ flavorID: FLAVOR.flavorID, totalCapacity: nodes }],
        cpuCapacity: FLAVOR.cpu * nodes,
        memCapacity: FLAVOR.memoryGi * nodes,
        serverPrice: price,
      },
    };
  });

const [, MOST_NODES] = LIMITS.nodes;
const PODS = 110;
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';

/** A valid node name for the machines of a flavor. */
const nodeName = (flavor: string, at: number): string => {
  const name = flavor
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return name === '' ? `node${at}` : name;
};

/** The nodes of a virtual member, as its record describes them. */
export const memberNodes = (record: ClusterRecord): readonly NodeShape[] => {
  const machines = memberMachines(record);
  const count = machines.reduce((sum, { count: some }) => sum + some, 0);
  if (count > MOST_NODES) {
    throw new ConfigError(
      `a virtual member has at most ${MOST_NODES} nodes, and ${record.metadata.name} would have ${count}: lower the totalCapacity of its flavors, or its cpuCapacity`,
    );
  }
  const labels = Object.entries(inventoryLabels(record)).filter(([label]) =>
    label.startsWith('topology.'),
  );
  const names = new Set<string>();
  return machines.map(({ flavor, count: some, cpu, memoryGi }, at) => {
    const nodeId = nodeName(flavor, at);
    const name = names.has(nodeId) ? `${nodeId}-${at}` : nodeId;
    names.add(name);
    return {
      name,
      count: some,
      cpu,
      memory: `${memoryGi}Gi`,
      pods: PODS,
      labels: { ...Object.fromEntries(labels), [INSTANCE_TYPE]: name },
    };
  });
};
