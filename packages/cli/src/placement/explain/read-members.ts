import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { NamedResource } from '@perigee/api/values/karmada-names';
import { podsOf, warningsOf } from '@perigee/controllers/members/read-pods';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { MemberState, Reading, WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import { objectIn } from '@perigee/scheduling/interpreter/fields';
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

const isReady = (pod: JsonObject): boolean =>
  JSON.stringify(objectIn(pod, 'status').conditions ?? []).includes(
    '"type":"Ready","status":"True"',
  );

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
