import { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ResourceInterpreterCustomization } from '@perigee/api/kinds/placement/resource-interpreter-customization';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden, isNotServed } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import {
  type PlacementClusters,
  readPlacementClusters,
} from '@perigee/registration/operations/placement-clusters';
import { takesWork } from '@perigee/scheduling/clusters/sharding/takes-part';
import { customisedKind } from '@perigee/scheduling/interpreter/customised-kind';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { YamlFormat } from '@perigee/scheduling/placement/override/apply-overriders';
import type { World } from '@perigee/scheduling/plan/world';

/** A world, and the kinds that the user may not read. */
export interface ReadWorld {
  readonly world: World;
  /** The kinds that were left out, wholly or outside of the namespace. */
  readonly hiddenKinds: readonly string[];
}

/** Lists all objects of a kind; those of the namespace if that is forbidden; none if that is forbidden, too. */
class Reader {
  readonly #client: Pick<Client, 'list'>;
  readonly #namespace: string;
  readonly hiddenKinds: string[] = [];

  constructor(client: Pick<Client, 'list'>, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async list<K extends ResourceKind>(kind: K): Promise<readonly StoredObjectOf<K>[]> {
    try {
      return (await listAll(this.#client, kind)).items;
    } catch (error) {
      if (isNotServed(error)) return [];
      if (!isForbidden(error)) throw error;
    }
    this.hiddenKinds.push(kind.kind);
    if (kind.scope !== 'Namespaced') return [];
    try {
      return (await listAll(this.#client, kind, { namespace: this.#namespace })).items;
    } catch (error) {
      if (isForbidden(error)) return [];
      throw error;
    }
  }
}

const byNameDownwards = (
  a: ResourceInterpreterCustomization,
  b: ResourceInterpreterCustomization,
): number => (a.metadata.name < b.metadata.name ? 1 : -1);

/** Parts of the world that the caller has read already. */
export interface KnownParts {
  readonly placementClusters?: Pick<PlacementClusters, 'clusters' | 'facts'>;
  readonly bindings?: readonly Binding[];
  readonly policies?: World['policies'];
  readonly overrides?: World['overrides'];
}

/** Loaded on demand, since few worlds have customizations in YAML, and the import takes time. */
const loadYaml = async (): Promise<YamlFormat> =>
  (await import('@perigee/kube/yaml/yaml-format')).yamlFormat;

const spacesOf = (facts: PlacementClusters['facts']): World['spaces'] =>
  new Map(
    facts.flatMap(({ name, space }) => (space === undefined ? [] : [[name, space] as const])),
  );

/** Reads the inputs of placement decisions through the API, except templates, which depend on the changes. */
export const readWorld = async (
  client: Pick<Client, 'list'>,
  namespace: string,
  nowMs: number,
  knownParts: KnownParts = {},
): Promise<ReadWorld> => {
  const reader = new Reader(client, namespace);
  const readBindings = async (): Promise<readonly Binding[]> =>
    (await Promise.all([reader.list(ResourceBinding), reader.list(ClusterResourceBinding)])).flat();
  const readPolicies = async (): Promise<World['policies']> =>
    (
      await Promise.all([reader.list(PropagationPolicy), reader.list(ClusterPropagationPolicy)])
    ).flat();
  const readOverrides = async (): Promise<World['overrides']> =>
    (await Promise.all([reader.list(OverridePolicy), reader.list(ClusterOverridePolicy)])).flat();
  const [
    customizations,
    schedulers,
    placementClusters,
    taintPolicies,
    policies,
    overrides,
    bindings,
    claims,
    sources,
    queues,
    namespaces,
    priorityClasses,
  ] = await Promise.all([
    reader.list(ResourceInterpreterCustomization),
    reader.list(Scheduler),
    // Clusters are required: a user who may not list them gets the error.
    knownParts.placementClusters ?? readPlacementClusters(client, { nowMs }),
    reader.list(ClusterTaintPolicy),
    knownParts.policies ?? readPolicies(),
    knownParts.overrides ?? readOverrides(),
    knownParts.bindings ?? readBindings(),
    reader.list(DataSourceClaim),
    reader.list(DataSource),
    reader.list(Queue),
    reader.list(Namespace),
    reader.list(PriorityClass),
  ]);
  const customised = customizations.toSorted(byNameDownwards).map((one) => customisedKind(one));
  const world: World = {
    nowMs,
    interpreter: createInterpreter([...nativeKinds, ...frameworkKinds, ...customised]),
    ...(knownParts.overrides === undefined ? { yaml: await loadYaml() } : {}),
    schedulers: schedulers.filter(takesWork).map(({ metadata }) => metadata.name),
    clusters: placementClusters.clusters,
    spaces: spacesOf(placementClusters.facts),
    taintPolicies,
    policies,
    overrides,
    templates: [],
    bindings,
    claims,
    sources,
    queues,
    namespaces,
    priorityClasses,
  };
  const isRoomHidden =
    'isRoomHidden' in placementClusters && placementClusters.isRoomHidden === true;
  return {
    world,
    hiddenKinds: isRoomHidden ? [...reader.hiddenKinds, 'ClusterRoom'] : reader.hiddenKinds,
  };
};
