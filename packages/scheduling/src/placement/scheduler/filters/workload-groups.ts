import type { Filter } from '../filter.ts';

const ELSEWHERE = {
  filter: 'WorkloadAffinity',
  reason: 'GroupIsElsewhere',
  message: 'ResourceBinding with the same affinity group does not target this cluster',
};

const HERE = {
  filter: 'WorkloadAntiAffinity',
  reason: 'GroupIsHere',
  message: 'cluster already has workload with the same anti-affinity group',
};

/** Work follows its group: every member that has clusters must have this one. */
export const workloadAffinity: Filter = {
  name: ELSEWHERE.filter,
  reasons: [ELSEWHERE.reason],
  prepare: (request, groups) => {
    if (!request.spec.workloadAffinityGroups?.affinityGroup) return undefined;
    const members = (groups?.affine(request) ?? []).filter(({ size }) => size > 0);
    return ({ name }) =>
      request.previous.has(name) || members.every((clusters) => clusters.has(name))
        ? undefined
        : ELSEWHERE;
  },
};

/** Work keeps away from its group: no other member may have this cluster. */
export const workloadAntiAffinity: Filter = {
  name: HERE.filter,
  reasons: [HERE.reason],
  prepare: (request, groups) => {
    if (!request.spec.workloadAffinityGroups?.antiAffinityGroup) return undefined;
    const members = groups?.averse(request) ?? [];
    return ({ name }) =>
      request.previous.has(name) || !members.some((clusters) => clusters.has(name))
        ? undefined
        : HERE;
  },
};
