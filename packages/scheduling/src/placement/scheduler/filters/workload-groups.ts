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

/** Affinity: the clusters of every placed member of the group must include this one. */
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

/** Anti-affinity: no other member of the group may use this cluster. */
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
