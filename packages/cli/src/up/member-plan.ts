import type { NodeShape } from '@perigee/member/nodes/node-shape';

/** A virtual member cluster: where it pretends to be, and what it is made of. */
export interface MemberPlan {
  readonly name: string;
  readonly provider: string;
  readonly region: string;
  readonly zone: string;
  readonly labels: { readonly [label: string]: string };
  readonly nodes: readonly NodeShape[];
  /** Where it keeps the files of pods that run as processes of this machine; absent if none may. */
  readonly processFolder?: string;
}

const PLACES: readonly Omit<MemberPlan, 'name' | 'nodes'>[] = [
  { provider: 'aurora', region: 'eu-west', zone: 'eu-west-1', labels: { geo: 'europe' } },
  { provider: 'boreal', region: 'us-east', zone: 'us-east-1', labels: { geo: 'america' } },
  { provider: 'cirrus', region: 'ap-south', zone: 'ap-south-1', labels: { geo: 'asia' } },
];

const DEFAULT_NODE = { cpu: 8, memory: '32Gi', pods: 110 };

/** So many members, spread over three continents. */
export const planMembers = (members: number, nodes: number): readonly MemberPlan[] =>
  Array.from({ length: members }, (_, at) => {
    const place = PLACES[at % PLACES.length] as (typeof PLACES)[number];
    const round = Math.floor(at / PLACES.length);
    const zone = round === 0 ? place.zone : `${place.region}-${round + 1}`;
    return {
      ...place,
      name: `member${at + 1}`,
      zone,
      nodes: [{ ...DEFAULT_NODE, count: nodes, labels: { 'topology.kubernetes.io/zone': zone } }],
    };
  });
