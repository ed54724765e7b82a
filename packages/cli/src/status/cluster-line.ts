import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Condition } from '@perigee/api/meta/condition';
import { findCondition } from '@perigee/api/values/conditions';
import {
  formatResourceList,
  parseResourceList,
  subtractResourceList,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import { present } from '@perigee/schema/present';
import type { ClusterLine } from './fleet-status.ts';

interface Amounts {
  readonly allocatable?: WrittenResourceList;
  readonly allocated?: WrittenResourceList;
}

const freeOf = ({ allocatable, allocated }: Amounts): Pick<ClusterLine, 'free'> => {
  if (allocatable === undefined) return {};
  const freeAmounts = subtractResourceList(
    parseResourceList(allocatable),
    parseResourceList(allocated),
  );
  const { cpu, memory, pods } = formatResourceList(freeAmounts);
  return {
    free: present({ cpu, memory, pods }),
  };
};

const whyNotReady = (ready: Condition | undefined): Pick<ClusterLine, 'reason' | 'message'> => {
  if (ready === undefined || ready.status === 'True') return {};
  return { reason: ready.reason, message: ready.message };
};

const placeOf = (region: string | undefined): Pick<ClusterLine, 'region'> =>
  region === undefined || region === '' ? {} : { region };

/** A line for a cluster of the inventory. */
export const registeredLine = ({ metadata, spec, status }: ClusterRecord): ClusterLine => ({
  name: metadata.name,
  phase: metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating',
  ...present({ homeScheduler: status?.homeScheduler || undefined }),
  ...placeOf(spec.region?.region),
  ...freeOf(status ?? {}),
  ...whyNotReady(findCondition(status?.conditions, 'Ready')),
});

const PHASES: { readonly [status: string]: string } = { True: 'Ready', False: 'NotReady' };

/** A line for an execution target, on control planes without an inventory. */
export const targetLine = ({ metadata, spec, status }: MemberCluster): ClusterLine => ({
  name: metadata.name,
  phase: PHASES[findCondition(status?.conditions, 'Ready')?.status ?? ''] ?? 'Unknown',
  ...placeOf(spec.region),
  ...freeOf(status?.resourceSummary ?? {}),
  ...whyNotReady(findCondition(status?.conditions, 'Ready')),
});
