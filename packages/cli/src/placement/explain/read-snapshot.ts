import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import {
  executionNamespace,
  type NamedResource,
  workNameFor,
} from '@perigee/api/values/karmada-names';
import { nearNames } from '@perigee/api/values/near-names';
import type { Client, ListOptions } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { readPlacementClusters } from '@perigee/registration/operations/placement-clusters';
import { type Reading, read, type WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { isInLine } from '@perigee/scheduling/placement/binding/queue-marks';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { groupsAmong } from '@perigee/scheduling/placement/scheduler/groups-among';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { expectedClusters } from '@perigee/scheduling/placement/work/targets';
import { present } from '@perigee/schema/present';
import { readQueueReasons } from '../../queues/read-queue-reasons.ts';
import { bindingAbout, type FoundWork } from './find-work.ts';
import { readClaims, readSourceClusters } from './read-data.ts';
import { type MemberAccess, readMembers } from './read-members.ts';
import { reading, readingList } from './reading.ts';

const itemsOf = async <K extends ResourceKind>(
  client: Client,
  kind: K,
  options: ListOptions = {},
): Promise<readonly StoredObjectOf<K>[]> => (await listAll(client, kind, options)).items;

const refOf = ({ namespace, name }: NamedResource) =>
  namespace === undefined ? { name } : { namespace, name };

/** Policies of all namespaces if they may be listed: one of another namespace may nearly select the work. */
const readPolicies = async (
  client: Client,
  namespace: string | undefined,
): Promise<Pick<WorkSnapshot, 'policies' | 'arePoliciesComplete'>> => {
  const [everywhere, wide] = await Promise.all([
    readingList('policies of all namespaces', itemsOf(client, PropagationPolicy)),
    readingList('cluster-wide policies', itemsOf(client, ClusterPropagationPolicy)),
  ]);
  const own =
    'value' in everywhere || namespace === undefined
      ? everywhere
      : await readingList('policies', itemsOf(client, PropagationPolicy, { namespace }));
  if ('hidden' in own && 'hidden' in wide) return { policies: own, arePoliciesComplete: false };
  const all: readonly AnyPolicy[] = [...read(own, []), ...read(wide, [])];
  return {
    policies: { value: all },
    arePoliciesComplete: 'value' in own && 'value' in wide,
  };
};

/** Reads override policies and priority classes: only work without a binding can wait for them. */
const readPrerequisites = async (client: Client, namespace: string | undefined) => {
  const [own, wide, classes] = await Promise.all([
    readingList('override policies', itemsOf(client, OverridePolicy, present({ namespace }))),
    readingList('cluster-wide override policies', itemsOf(client, ClusterOverridePolicy)),
    readingList('priority classes', itemsOf(client, PriorityClass)),
  ]);
  const names = [...read(own, []), ...read(wide, [])].map(({ metadata }) =>
    metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`,
  );
  return {
    overrides: 'hidden' in own ? own : { value: names },
    priorityClasses:
      'hidden' in classes
        ? classes
        : { value: new Map(classes.value.map(({ metadata, value }) => [metadata.name, value])) },
  };
};

const NONE = {
  overrides: { value: [] },
  priorityClasses: { value: new Map<string, number>() },
};

const readQueue = async (
  client: Client,
  binding: Binding | undefined,
  nowMs: number,
): Promise<Pick<WorkSnapshot, 'queue'>> => {
  if (binding?.metadata.namespace === undefined || !isInLine(binding.metadata)) return {};
  const queueReasons = await reading(
    'its queue',
    readQueueReasons(client, binding as ResourceBinding, nowMs),
  );
  if ('hidden' in queueReasons) return { queue: queueReasons };
  const { queue = '', reason, message, position, inLine } = queueReasons.value;
  return {
    queue: {
      value: {
        queue,
        ...present({ reason, message, position, inLine }),
      },
    },
  };
};

const readWorks = (
  client: Client,
  binding: Binding | undefined,
  clusters: readonly string[],
): Promise<Reading<readonly Work[]>> => {
  if (binding === undefined) return Promise.resolve({ value: [] });
  const name = workNameFor(binding.spec.resource, binding.metadata.name);
  const works = clusters.map((cluster) =>
    getOrUndefined(client, Work, { namespace: executionNamespace(cluster), name }),
  );
  return reading(
    'Works',
    Promise.all(works).then((results) => results.filter((work) => work !== undefined)),
  );
};

const readWorld = async (client: Client, binding: Binding | undefined, nowMs: number) => {
  const placementClusters = await reading('clusters', readPlacementClusters(client, { nowMs }));
  const { namespace } = binding?.metadata ?? {};
  const hasGroups = binding?.spec.workloadAffinityGroups !== undefined && namespace !== undefined;
  const others: readonly Binding[] = hasGroups
    ? read(await readingList('bindings', itemsOf(client, ResourceBinding, { namespace })), [])
    : [];
  return {
    clusters:
      'hidden' in placementClusters
        ? placementClusters
        : { value: placementClusters.value.clusters satisfies readonly MemberCluster[] },
    isRoomHidden: 'hidden' in placementClusters || placementClusters.value.isRoomHidden,
    world: {
      clusters: 'hidden' in placementClusters ? [] : placementClusters.value.facts,
      rules: standardRules,
      ...present({ groups: binding && groupsAmong(binding, others) }),
    },
  };
};

/** Maximum number of names that are compared with a mistyped one: one page. */
const MOST_NAMES = 500;

const readSimilar = async (
  client: Client,
  { resource, kind }: FoundWork,
): Promise<readonly string[]> => {
  if (kind === undefined) return [];
  const { namespace } = resource;
  const options = { ...present({ namespace }), limit: MOST_NAMES };
  const objects = await readingList(
    kind.plural,
    client.list(kind, options).then(({ items }) => items),
  );
  return nearNames(
    resource.name,
    read(objects, []).map(({ metadata }) => metadata.name),
  );
};

/** Reads the inputs of the explanation of one workload, as far as the user may. */
export const readSnapshot = async (
  client: Client,
  work: FoundWork,
  access: MemberAccess,
  nowMs: number,
): Promise<WorkSnapshot> => {
  const { resource, kind } = work;
  const [binding, template, policies, schedulers] = await Promise.all([
    reading('bindings', Promise.resolve(work.binding ?? bindingAbout(client, resource))),
    kind === undefined
      ? Promise.resolve({ hidden: 'this server does not serve its kind' })
      : reading(
          `${kind.kind}s`,
          getOrUndefined(client, kind, refOf(resource)) as Promise<Template | undefined>,
        ),
    readPolicies(client, resource.namespace),
    readingList('Schedulers', itemsOf(client, Scheduler)),
  ]);
  const currentBinding = read(binding, undefined);
  const isNowhere =
    currentBinding === undefined && 'value' in template && template.value === undefined;
  const similar = isNowhere ? await readSimilar(client, work) : [];
  const targets = currentBinding === undefined ? [] : [...expectedClusters(currentBinding.spec)];
  const [prerequisites, claims, clustersOf, queue, works, world] = await Promise.all([
    currentBinding === undefined ? readPrerequisites(client, resource.namespace) : NONE,
    readClaims(client, currentBinding, read(template, undefined)),
    currentBinding === undefined ? undefined : readSourceClusters(client, currentBinding.metadata),
    readQueue(client, currentBinding, nowMs),
    readWorks(client, currentBinding, targets),
    readWorld(client, currentBinding, nowMs),
  ]);
  const members = await readMembers(access, work, currentBinding, read(world.clusters, []));
  return {
    resource,
    nowMs,
    template,
    similar,
    binding,
    ...policies,
    ...prerequisites,
    claims,
    ...present({ clustersOf }),
    ...queue,
    schedulers,
    ...world,
    works,
    members,
  };
};
