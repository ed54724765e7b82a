import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden, isNotServed } from '@perigee/kube/errors';
import {
  type PlacementClusters,
  readPlacementClusters,
} from '@perigee/registration/operations/placement-clusters';
import type { Operation } from '@perigee/scheduling/flows/operation';
import { present } from '@perigee/schema/present';
import { readOperations } from './read-flow.ts';

/** The state that a plan is computed from, as far as the user may read it. */
export interface PlanWorld {
  readonly nowMs: number;
  readonly namespace: string;
  /** Absent when the user may not list clusters. */
  readonly clusters: PlacementClusters | undefined;
  readonly operations: readonly Operation[];
  readonly datasets: readonly Dataset[];
  readonly claims: readonly DataSourceClaim[];
  readonly bindings: readonly ResourceBinding[];
  readonly own: readonly PropagationPolicy[];
  readonly wide: readonly ClusterPropagationPolicy[];
}

/** Kinds that the user may not list, or that are not served, count as empty. */
const listIfAllowed = async <K extends ResourceKind>(
  client: Client,
  kind: K,
  namespace?: string,
): Promise<readonly StoredObjectOf<K>[]> => {
  try {
    return (await listAll(client, kind, present({ namespace }))).items;
  } catch (error) {
    if (isForbidden(error) || isNotServed(error)) return [];
    throw error;
  }
};

const clustersOf = async (
  client: Client,
  nowMs: number,
): Promise<PlacementClusters | undefined> => {
  try {
    return await readPlacementClusters(client, { nowMs });
  } catch (error) {
    if (isForbidden(error) || isNotServed(error)) return undefined;
    throw error;
  }
};

export const readPlanWorld = async (
  client: Client,
  namespace: string,
  nowMs: number,
): Promise<PlanWorld> => {
  const [clusters, { operations }, datasets, claims, bindings, own, wide] = await Promise.all([
    clustersOf(client, nowMs),
    readOperations(client, { namespace }),
    listIfAllowed(client, Dataset, namespace),
    listIfAllowed(client, DataSourceClaim, namespace),
    listIfAllowed(client, ResourceBinding, namespace),
    listIfAllowed(client, PropagationPolicy, namespace),
    listIfAllowed(client, ClusterPropagationPolicy),
  ]);
  return { nowMs, namespace, clusters, operations, datasets, claims, bindings, own, wide };
};
