import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import {
  parseResourceList,
  sumResourceLists,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import { present, unlessEmpty } from '@perigee/schema/present';
import { quantityValue, ZERO } from '@perigee/schema/values/quantity';

export type NodeOfMember = KubeObject & {
  readonly spec?: { readonly providerID?: string };
  readonly status?: { readonly capacity?: WrittenResourceList };
};

/** Facts about a cluster, derived from its nodes. */
export interface MemberFacts {
  readonly spec: Partial<ClusterRecord['spec']>;
  readonly zones: readonly string[];
  readonly nodes: number;
}

const GIB = 2 ** 30;
const MOST_FLAVORS = 128;

const countWords = (
  words: readonly (string | undefined)[],
): readonly (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const word of words) if (word) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
};

const labelsOf = (nodes: readonly NodeOfMember[], ...names: readonly string[]) =>
  countWords(
    nodes.map(({ metadata: { labels = {} } }) =>
      names.map((name) => labels[name]).find((value) => value),
    ),
  );

/** The cloud provider from `spec.providerID`: `aws:///eu-west-1a/i-0` is `aws`. */
const providerOf = ({ spec }: NodeOfMember): string | undefined =>
  /^([a-z0-9-]+):\/\//i.exec(spec?.providerID ?? '')?.[1];

/** Derives the facts of a cluster from its nodes; where they disagree, the majority decides. */
export const memberFacts = (nodes: readonly NodeOfMember[]): MemberFacts => {
  const [[provider] = []] = countWords(nodes.map(providerOf));
  const [[region] = []] = labelsOf(
    nodes,
    'topology.kubernetes.io/region',
    'failure-domain.beta.kubernetes.io/region',
  );
  const zones = labelsOf(
    nodes,
    'topology.kubernetes.io/zone',
    'failure-domain.beta.kubernetes.io/zone',
  )
    .map(([zone]) => zone)
    .toSorted();
  const flavors = labelsOf(
    nodes,
    'node.kubernetes.io/instance-type',
    'beta.kubernetes.io/instance-type',
  )
    .slice(0, MOST_FLAVORS)
    .map(([flavorID, totalCapacity]) => ({ flavorID, totalCapacity }));
  const [zone] = zones.length === 1 ? zones : [];
  const all = sumResourceLists(nodes.map(({ status }) => parseResourceList(status?.capacity)));
  const amount = (name: string) => quantityValue(all.get(name) ?? ZERO);
  return {
    zones,
    nodes: nodes.length,
    spec: {
      ...present({ operator: provider === undefined ? undefined : { operator: provider } }),
      ...(region === undefined && zone === undefined
        ? {}
        : {
            region: present({ region, availabilityZone: zone }),
          }),
      ...present({ flavors: unlessEmpty(flavors) }),
      ...(nodes.length === 0
        ? {}
        : { cpuCapacity: amount('cpu'), memCapacity: Math.floor(amount('memory') / GIB) }),
    },
  };
};
