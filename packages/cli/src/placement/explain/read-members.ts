import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { Job } from '@perigee/kubernetes/batch/job';
import { Event } from '@perigee/kubernetes/core/event';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { MemberState, Reading, WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import { objectIn, objectsIn, textIn } from '@perigee/scheduling/interpreter/fields';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { expectedClusters } from '@perigee/scheduling/placement/work/targets';
import type { JsonObject } from '@perigee/schema/json';
import type { FoundWork } from './find-work.ts';
import { lackingNeeds } from './lacking-needs.ts';
import { reading } from './reading.ts';

/** Access to members, by the user's own credentials. */
export interface MemberAccess {
  /** The client of a member, or the reason for having none. */
  open(cluster: string): Promise<Client | { readonly hidden: string }>;
}

/** Maximum numbers of pods of a workload, and of warnings of its namespace, that are read in a member. */
const MOST_PODS = 500;

const labelsText = (labels: JsonObject): string | undefined => {
  const parts = Object.entries(labels).flatMap(([key, value]) =>
    typeof value === 'string' ? [`${key}=${value}`] : [],
  );
  return parts.length === 0 ? undefined : parts.join();
};

/** The labels of the pods of a workload; undefined for kinds whose pods cannot be selected by label. */
const podLabels = ({ kind, name }: NamedResource, object: JsonObject): string | undefined => {
  const selector = labelsText(objectIn(object, 'spec', 'selector', 'matchLabels'));
  if (selector !== undefined) return selector;
  if (kind === 'Job' && textIn(object, 'apiVersion').startsWith('batch.volcano.sh/')) {
    return `volcano.sh/job-name=${name}`;
  }
  return kind === 'Job' ? `job-name=${name}` : undefined;
};

const isOwnedBy = (owned: JsonObject, owner: JsonObject): boolean =>
  objectsIn(owned, 'metadata', 'ownerReferences').some(
    ({ uid }) => uid === objectIn(owner, 'metadata').uid,
  );

/** The label of the pods of the newest Job of a CronJob, and of those that run; undefined before its first one. */
const cronLabels = async (
  client: Client,
  namespace: string,
  cronJob: JsonObject,
): Promise<string | undefined> => {
  // No selector finds the Jobs of an owner, so those of the whole namespace are read.
  const { items } = await listAll(client, Job, { namespace });
  const jobs = (items as unknown as readonly JsonObject[])
    .filter((job) => isOwnedBy(job, cronJob))
    .toSorted((a, b) => createdAt(b).localeCompare(createdAt(a)));
  const names = jobs
    .filter((job, at) => at === 0 || Number(objectIn(job, 'status').active ?? 0) > 0)
    .map((job) => textIn(job, 'metadata', 'name'));
  return names.length === 0 ? undefined : `job-name in (${names.join()})`;
};

const createdAt = (object: JsonObject): string => textIn(object, 'metadata', 'creationTimestamp');

const podsOf = async (
  client: Client,
  resource: NamedResource,
  object: JsonObject,
): Promise<readonly JsonObject[]> => {
  if (resource.kind === 'Pod') return [object];
  const { namespace } = resource;
  if (namespace === undefined) return [];
  const labelSelector =
    resource.kind === 'CronJob'
      ? await cronLabels(client, namespace, object)
      : podLabels(resource, object);
  if (labelSelector === undefined) return [];
  const { items } = await client.list(Pod, { namespace, labelSelector, limit: MOST_PODS });
  return items as unknown as readonly JsonObject[];
};

const isReady = (pod: JsonObject): boolean =>
  JSON.stringify(objectIn(pod, 'status').conditions ?? []).includes(
    '"type":"Ready","status":"True"',
  );

/** Warning Events about the object and its children, by name prefix; read only if it is unhealthy. */
const warningsOf = async (
  client: Client,
  { namespace, name }: NamedResource,
): Promise<readonly JsonObject[]> => {
  if (namespace === undefined) return [];
  const options = { namespace, fieldSelector: 'type=Warning', limit: MOST_PODS };
  const { items } = await client.list(Event, options);
  const events = items as unknown as readonly JsonObject[];
  return events
    .filter((event) => {
      const about = textIn(event, 'involvedObject', 'name');
      return about === name || about.startsWith(`${name}-`);
    })
    .toSorted((a, b) => (textIn(a, 'lastTimestamp') < textIn(b, 'lastTimestamp') ? -1 : 1));
};

const readState = async (
  client: Client,
  kind: ResourceKind,
  resource: NamedResource,
): Promise<MemberState> => {
  const { namespace, name } = resource;
  const ref = namespace === undefined ? { name } : { namespace, name };
  const object = (await getOrUndefined(client, kind, ref)) as JsonObject | undefined;
  if (object === undefined) return { pods: [], warnings: [] };
  const pods = await podsOf(client, resource, object);
  const desiredReplicas = objectIn(object, 'spec').replicas ?? 0;
  const isWell =
    pods.every(isReady) && typeof desiredReplicas === 'number' && pods.length >= desiredReplicas;
  if (isWell) return { object, pods, warnings: [] };
  const [warnings, lacking] = await Promise.all([
    warningsOf(client, resource).catch(() => []),
    lackingNeeds(client, resource, object),
  ]);
  return { object, pods, warnings, lacking };
};

/** Reads the object and its pods in a member; hidden if the user has no access to the member. */
const readMember = async (
  access: MemberAccess,
  cluster: string,
  kind: ResourceKind | undefined,
  resource: NamedResource,
): Promise<Reading<MemberState>> => {
  if (kind === undefined) return { hidden: 'this server does not serve the kind' };
  const member = await access.open(cluster);
  if ('hidden' in member) return member;
  return reading(`${resource.kind}s and pods in ${cluster}`, readState(member, kind, resource));
};

/** Maximum number of members whose pods are read; those with unhealthy work come first. */
const MOST_MEMBERS = 50;

const UNREACHABLE = { hidden: 'the cluster is not reachable' };

/** Skips members that the control plane cannot reach either. */
export const readMembers = async (
  access: MemberAccess,
  { kind, resource }: FoundWork,
  binding: Binding | undefined,
  clusters: readonly MemberCluster[],
): Promise<WorkSnapshot['members']> => {
  if (binding === undefined) return new Map();
  const ready = new Set(
    clusters
      .filter(({ status }) => isConditionTrue(status?.conditions, 'Ready'))
      .map(({ metadata }) => metadata.name),
  );
  const well = new Set(
    (binding.status?.aggregatedStatus ?? [])
      .filter(({ health }) => health === 'Healthy')
      .map(({ clusterName }) => clusterName),
  );
  const targets = [...expectedClusters(binding.spec)]
    .toSorted((a, b) => Number(well.has(a)) - Number(well.has(b)))
    .slice(0, MOST_MEMBERS);
  const states = targets.map(async (cluster) => {
    const isKnown = clusters.length === 0 || ready.has(cluster);
    const state = isKnown ? await readMember(access, cluster, kind, resource) : UNREACHABLE;
    return [cluster, state] as const;
  });
  return new Map(await Promise.all(states));
};
