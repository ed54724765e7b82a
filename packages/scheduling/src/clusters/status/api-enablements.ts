import type { ApiEnablement } from '@perigee/api/kinds/clusters/member-cluster-status';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { NewCondition } from '@perigee/api/values/conditions';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The APIs that a cluster serves, in the form of its status. */
export const apiEnablements = (kinds: Iterable<ResourceKind>): readonly ApiEnablement[] => {
  const versions = new Map<string, { readonly name: string; readonly kind: string }[]>();
  for (const resource of kinds) {
    const groupVersion = apiVersionOf(resource);
    const resources = versions.get(groupVersion) ?? [];
    versions.set(groupVersion, resources);
    resources.push({ name: resource.plural, kind: resource.kind });
  }
  return Array.from(versions, ([groupVersion, resources]) => ({
    groupVersion,
    resources: resources.sort((a, b) => byText(a.name, b.name)),
  })).sort((a, b) => byText(a.groupVersion, b.groupVersion));
};

const TYPE = 'CompleteAPIEnablements';

/** Reports whether API discovery was complete. */
export const enablementsCondition = (
  apis: readonly ApiEnablement[],
  isComplete: boolean,
): NewCondition<'MemberCluster', 'CompleteAPIEnablements'> => {
  if (apis.length === 0) {
    const message = 'collected empty APIEnablements from the cluster';
    return { type: TYPE, status: 'False', reason: 'Empty', message };
  }
  if (!isComplete) {
    const message = `might collect partial APIEnablements(${apis.length}) from the cluster`;
    return { type: TYPE, status: 'False', reason: 'Partial', message };
  }
  const message = 'collected complete APIEnablements from the cluster';
  return { type: TYPE, status: 'True', reason: 'Complete', message };
};
