import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isConditionTrue } from '@perigee/api/values/conditions';
import {
  parseResourceList,
  sumResourceLists,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import { type Amounts, amountsOf } from './amounts.ts';

const countsIn = ({ metadata, status }: MemberCluster): boolean =>
  metadata.deletionTimestamp === undefined && isConditionTrue(status?.conditions, 'Ready');

/** The allocatable sum of all ready clusters, which the queues share. */
export const totalRoom = (clusters: readonly MemberCluster[]): Amounts =>
  amountsOf(
    sumResourceLists(
      clusters
        .filter(countsIn)
        .map(({ status }) =>
          parseResourceList(
            status?.resourceSummary?.allocatable as WrittenResourceList | undefined,
          ),
        ),
    ),
  );
