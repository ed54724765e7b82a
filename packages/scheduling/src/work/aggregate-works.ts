import type { JsonObject } from '@perigee/api/json';
import type { BindingSpec, BoundResource } from '@perigee/api/kinds/karmada/binding-spec';
import type { AggregatedStatusItem } from '@perigee/api/kinds/karmada/binding-status';
import type { ManifestStatus, Work } from '@perigee/api/kinds/karmada/work';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { findCondition, type NewCondition } from '@perigee/api/values/conditions';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import { textIn } from '../interpreter/fields.ts';
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

const itemOf = (
  clusterName: string,
  { spec, status = {} }: Work,
  resource: BoundResource,
): AggregatedStatusItem => {
  const applied = findCondition(status.conditions, 'Applied');
  if (applied?.status !== 'True') {
    const appliedMessage = applied?.message ?? '';
    return {
      clusterName,
      applied: false,
      ...(appliedMessage === '' ? {} : { appliedMessage }),
      health: 'Unknown',
    };
  }
  const ordinal = (spec.workload?.manifests ?? []).findIndex((one) => isAbout(resource, one));
  const about = statusAbout(status, ordinal, resource);
  return {
    clusterName,
    ...(about?.status === undefined ? {} : { status: about.status }),
    applied: true,
    health: about?.health ?? 'Unknown',
  };
};

/** How a resource is doing in each cluster that has a Work for it, by the name of the cluster. */
export const aggregateWorks = (
  works: readonly Work[],
  resource: BoundResource,
): readonly AggregatedStatusItem[] =>
  works
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((work) => {
      const cluster = clusterOfExecutionNamespace(work.metadata.namespace ?? '');
      return cluster === undefined ? [] : [itemOf(cluster, work, resource)];
    })
    .sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1));

/** Whether all clusters have the resource, and no others. */
export const fullyApplied = (
  spec: BindingSpec,
  items: readonly AggregatedStatusItem[],
): NewCondition => {
  const expected = expectedClusters(spec);
  const isSo =
    expected.size > 0 &&
    items.length === expected.size &&
    items.every(({ applied, clusterName }) => applied === true && expected.has(clusterName));
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
