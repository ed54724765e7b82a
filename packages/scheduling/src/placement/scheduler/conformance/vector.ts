import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { clusterFacts } from '../cluster-facts.ts';
import type { WorkloadGroups } from '../filter.ts';
import type { Outcome } from '../outcome.ts';
import { place } from '../place.ts';
import { placementRequest } from '../placement-request.ts';
import { standardRules } from '../standard-rules.ts';

/** Another binding of the namespace, for workload groups. */
interface Peer {
  readonly name: string;
  readonly affinityGroup?: string;
  readonly antiAffinityGroup?: string;
  readonly clusters: readonly string[];
}

/** A decision of Karmada's scheduler, with its inputs. */
export interface Vector {
  readonly clusters: readonly MemberCluster[];
  readonly spec: BindingSpec;
  readonly status: BindingStatus;
  readonly peers?: readonly Peer[];
  readonly result?: readonly TargetCluster[] | null;
  readonly err?: string;
}

const groupsOf = (peers: readonly Peer[]): WorkloadGroups => {
  const clustersOf = (members: readonly Peer[]) => members.map(({ clusters }) => new Set(clusters));
  return {
    affine: ({ spec }) =>
      clustersOf(
        peers.filter(
          ({ affinityGroup }) => affinityGroup === spec.workloadAffinityGroups?.affinityGroup,
        ),
      ),
    averse: ({ spec }) =>
      clustersOf(
        peers.filter(
          ({ antiAffinityGroup }) =>
            antiAffinityGroup === spec.workloadAffinityGroups?.antiAffinityGroup,
        ),
      ),
  };
};

/** Decides for the term in the status alone, as the upstream algorithm does. */
const decideVector = ({ clusters, spec, status, peers = [] }: Vector): Outcome => {
  const { placement = {} } = spec;
  const request = placementRequest(spec, status, placement, status.schedulerObservingAffinityName);
  const world = { clusters: clusters.map(clusterFacts), rules: standardRules };
  return place(request, { ...world, groups: groupsOf(peers) });
};

const asSet = (clusters: readonly TargetCluster[]): string =>
  clusters
    .map(({ name, replicas = 0 }) => `${name}:${replicas}`)
    .sort()
    .join(' ');

/** The difference between a decision and the expected one, if any. */
export const vectorDifference = (vector: Vector): string | undefined => {
  const outcome = decideVector(vector);
  const expected = vector.err === undefined ? asSet(vector.result ?? []) : undefined;
  const actual = outcome.kind === 'placed' ? asSet(outcome.clusters) : undefined;
  if (expected === actual) return undefined;
  const expectedText = expected === undefined ? `a failure (${vector.err})` : `[${expected}]`;
  const got =
    outcome.kind === 'placed' ? `[${actual}]` : `a failure (${outcome.reason}: ${outcome.message})`;
  return `expected ${expectedText}, got ${got}`;
};
