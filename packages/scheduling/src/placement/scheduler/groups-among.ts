import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { WorkloadGroups } from './filter.ts';

interface GroupMember {
  readonly metadata: { readonly name: string };
  readonly spec: BindingSpec;
}

/** The clusters of the work's groups, from a list of bindings. */
export const groupsAmong = (own: GroupMember, others: readonly GroupMember[]): WorkloadGroups => {
  const clustersOf = (members: readonly GroupMember[]) =>
    members
      .filter(({ metadata }) => metadata.name !== own.metadata.name)
      .map(({ spec }) => new Set((spec.clusters ?? []).map(({ name }) => name)));
  return {
    affine: ({ spec }) => {
      const group = spec.workloadAffinityGroups?.affinityGroup;
      return clustersOf(
        others.filter((one) => one.spec.workloadAffinityGroups?.affinityGroup === group),
      );
    },
    averse: ({ spec }) => {
      const group = spec.workloadAffinityGroups?.antiAffinityGroup;
      return clustersOf(
        others.filter((one) => one.spec.workloadAffinityGroups?.antiAffinityGroup === group),
      );
    },
  };
};
