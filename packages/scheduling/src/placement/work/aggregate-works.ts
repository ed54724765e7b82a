import type { BindingSpec, BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type { ManifestStatus, Work } from '@perigee/api/kinds/placement/work';
import type { Condition } from '@perigee/api/meta/condition';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { findCondition, type NewCondition } from '@perigee/api/values/conditions';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { textIn } from '../../interpreter/fields.ts';
import { expectedClusters } from './targets.ts';

const isAbout = (resource: BoundResource, manifest: JsonObject): boolean =>
  manifest.apiVersion === resource.apiVersion &&
  manifest.kind === resource.kind &&
  textIn(manifest, 'metadata', 'name') === resource.name &&
  textIn(manifest, 'metadata', 'namespace') === (resource.namespace ?? '');

const statusAbout = (
  { manifestStatuses = [] }: NonNullable<Work['status']>,
  ordinal: number,
  resource: BoundResource,
): ManifestStatus | undefined =>
  manifestStatuses.find(
    ({ identifier }) =>
      identifier.ordinal === ordinal &&
      apiVersionOf({ group: identifier.group ?? '', version: identifier.version }) ===
        resource.apiVersion &&
      identifier.kind === resource.kind &&
      identifier.name === resource.name &&
      (identifier.namespace ?? '') === (resource.namespace ?? ''),
  );

/** Health of the clusters that Works target. */
export interface ClusterKnowledge {
  /** False if the cluster is out of contact: its reports are stale. */
  readonly isReady: (cluster: string) => boolean;
}

const notApplied = (clusterName: string, appliedMessage: string): AggregatedStatusItem => ({
  clusterName,
  applied: false,
  ...present({ appliedMessage: unlessEmpty(appliedMessage) }),
  health: 'Unknown',
});

/** The reason why the cluster has an older generation of the Work; undefined if it is current. */
const whyBehind = (
  { metadata, spec }: Work,
  appliedCondition: Condition,
  isReady: boolean,
): string | undefined => {
  const { observedGeneration } = appliedCondition;
  if (observedGeneration === undefined || observedGeneration === metadata.generation) {
    return undefined;
  }
  const since = `the cluster has generation ${observedGeneration} of the Work; ${metadata.generation} is still to be delivered`;
  if (spec.suspendDispatching === true) return `${since}: dispatching is suspended`;
  return isReady ? since : `${since}: the cluster is not ready`;
};

const itemOf = (
  clusterName: string,
  work: Work,
  resource: BoundResource,
  isReady: boolean,
): AggregatedStatusItem => {
  const { spec, status = {} } = work;
  const appliedCondition = findCondition(status.conditions, 'Applied');
  if (appliedCondition?.status !== 'True') {
    const why = isReady ? '' : 'not delivered: the cluster is not ready';
    return notApplied(clusterName, appliedCondition?.message ?? why);
  }
  const ordinal = (spec.workload?.manifests ?? []).findIndex((one) => isAbout(resource, one));
  const about = statusAbout(status, ordinal, resource);
  const appliedMessage = whyBehind(work, appliedCondition, isReady);
  return {
    clusterName,
    ...present({ status: about?.status }),
    applied: appliedMessage === undefined,
    ...present({ appliedMessage }),
    // A report of an unready cluster may be stale.
    health: (isReady && about?.health) || 'Unknown',
  };
};

/** The status of a resource in each cluster with a Work for it, by cluster name. */
export const aggregateWorks = (
  works: readonly Work[],
  resource: BoundResource,
  { isReady }: ClusterKnowledge,
): readonly AggregatedStatusItem[] =>
  works
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((work) => {
      const cluster = clusterOfExecutionNamespace(work.metadata.namespace ?? '');
      return cluster === undefined ? [] : [itemOf(cluster, work, resource, isReady(cluster))];
    })
    .sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1));

/** The FullyApplied condition: all expected clusters have the resource, and no others. */
export const fullyApplied = (
  spec: BindingSpec,
  items: readonly AggregatedStatusItem[],
): NewCondition<'Binding', 'FullyApplied'> => {
  const clusterNames = expectedClusters(spec);
  const isSo =
    clusterNames.size > 0 &&
    items.length === clusterNames.size &&
    items.every(({ applied, clusterName }) => applied === true && clusterNames.has(clusterName));
  return isSo
    ? {
        type: 'FullyApplied',
        status: 'True',
        reason: 'FullyAppliedSuccess',
        message: 'All works have been successfully applied',
      }
    : {
        type: 'FullyApplied',
        status: 'False',
        reason: 'FullyAppliedFailed',
        message: 'Failed to apply all works, see status.aggregatedStatus for details',
      };
};
