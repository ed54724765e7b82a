import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { listPages } from '@perigee/kube/client/list-pages';
import { isNotServed } from '@perigee/kube/errors';
import { titleOfBound } from '@perigee/scheduling/clusters/lifecycle/drain';
import { carriedPlacement } from '@perigee/scheduling/data/carried-placement';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { groupsAmong } from '@perigee/scheduling/placement/scheduler/groups-among';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { whyUndecided } from '@perigee/scheduling/placement/scheduler/standing';
import { workOrigin } from '@perigee/scheduling/placement/work/work-origin';
import { type PlacementClusters, readPlacementClusters } from './placement-clusters.ts';

/** Work on a cluster: a count of that which the scheduler could place elsewhere, and the rest with reasons. */
export interface BoundWork {
  readonly movable: number;
  readonly stuck: readonly { readonly what: string; readonly why: string }[];
}

type Reader = Pick<Client, 'get' | 'list'>;

/** A Work with one of these labels belongs to a binding, even if no annotation names it. */
const FROM_BINDINGS = [
  'resourcebinding.karmada.io/permanent-id',
  'clusterresourcebinding.karmada.io/permanent-id',
];

interface Origins {
  readonly bindings: readonly { readonly namespace?: string; readonly name: string }[];
  readonly unknown: readonly string[];
}

const originsOf = async (
  client: Reader,
  cluster: string,
  options: CallOptions,
): Promise<Origins> => {
  const bindings = new Map<string, { readonly namespace?: string; readonly name: string }>();
  const unknown: string[] = [];
  const scope = { ...options, namespace: executionNamespace(cluster) };
  for await (const { items } of listPages(client, Work, scope)) {
    for (const work of items) {
      const origin = workOrigin(work);
      const { namespace, name, labels = {}, deletionTimestamp } = work.metadata;
      if (origin.kind === 'binding') {
        bindings.set(JSON.stringify(origin.binding), origin.binding);
      } else if (deletionTimestamp === undefined && origin.kind === 'hand') {
        const isBound = FROM_BINDINGS.some((label) => label in labels);
        if (isBound || (work.spec.workload?.manifests ?? []).length > 0) {
          unknown.push(`Work ${namespace}/${name}`);
        }
      }
    }
  }
  return { bindings: [...bindings.values()], unknown };
};

const readBinding = (
  client: Reader,
  { namespace, name }: Origins['bindings'][number],
  options: CallOptions,
): Promise<Binding | undefined> =>
  namespace === undefined
    ? getOrUndefined(client, ClusterResourceBinding, { name }, options)
    : getOrUndefined(client, ResourceBinding, { namespace, name }, options);

/** Runs the decisions of the scheduler to find out which work could leave a cluster. */
class Departure {
  readonly #client: Reader;
  readonly #cluster: string;
  readonly #options: CallOptions;
  #targets: Promise<PlacementClusters> | undefined;

  constructor(client: Reader, cluster: string, options: CallOptions) {
    this.#client = client;
    this.#cluster = cluster;
    this.#options = options;
  }

  /** The reason why a binding cannot leave; undefined when it can. */
  async whyNot(binding: Binding): Promise<string | undefined> {
    const { spec, status = {} } = binding;
    // A binding that is not scheduled here itself is a dependency, or being evicted: it follows by itself.
    if (!(spec.clusters ?? []).some(({ name }) => name === this.#cluster)) return undefined;
    const undecided = whyUndecided(binding);
    if (undecided !== undefined) return undecided;
    const clusters = await this.#others();
    const groups = groupsAmong(binding, await this.#neighbours(binding));
    const world = { clusters, rules: standardRules, groups };
    const { outcome } = schedule(spec, status, world, carriedPlacement(binding.metadata));
    return outcome.kind === 'placed' ? undefined : `${outcome.reason}: ${outcome.message}`;
  }

  async #others(): Promise<readonly ClusterFacts[]> {
    this.#targets ??= readPlacementClusters(this.#client, this.#options);
    return (await this.#targets).facts.filter(({ name }) => name !== this.#cluster);
  }

  async #neighbours({ metadata, spec }: Binding): Promise<readonly Binding[]> {
    const { namespace } = metadata;
    if (spec.workloadAffinityGroups === undefined || namespace === undefined) return [];
    return (await listAll(this.#client, ResourceBinding, { ...this.#options, namespace })).items;
  }
}

/**
 * The work on a cluster, from bindings and from Works written by hand, with the reasons why some cannot
 * move. Costs one request per binding with work there.
 */
export const findBoundWork = async (
  client: Reader,
  cluster: string,
  options: CallOptions = {},
): Promise<BoundWork> => {
  try {
    const { bindings, unknown } = await originsOf(client, cluster, options);
    const stuck = unknown.map((what) => ({ what, why: 'no binding could move it' }));
    const departure = new Departure(client, cluster, options);
    let movable = 0;
    for (const ref of bindings) {
      const binding = await readBinding(client, ref, options);
      const why = binding && (await departure.whyNot(binding));
      if (binding !== undefined && why !== undefined) {
        stuck.push({ what: titleOfBound(binding), why });
      } else movable += 1;
    }
    return { movable, stuck };
  } catch (error) {
    // Without the Work CRD, no cluster has any.
    if (isNotServed(error)) return { movable: 0, stuck: [] };
    throw error;
  }
};
