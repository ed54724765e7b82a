import { isReady } from '../../plan/cluster-steps.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { affinitiesOf, type PolicyAffinity } from './affinities.ts';
import { policyTitle } from './policy-change.ts';

/** Limit of alternative clusters. */
const MOST_OTHERS = 4;

/** Healthy clusters, those with the most room first. */
const othersThan = (state: PlanState, bad: readonly string[]): readonly string[] =>
  state.room.all
    .filter(({ name, taints, isDeleting }) => {
      const cluster = state.clusters.get(name);
      const isWell = cluster !== undefined && isReady(cluster) && taints.length === 0;
      return isWell && !isDeleting && !bad.includes(name);
    })
    .map(({ name, capacity }) => ({ name, cpu: capacity?.free.get('cpu')?.parts ?? 0 }))
    .sort((a, b) => b.cpu - a.cpu || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_OTHERS)
    .map(({ name }) => name);

const insteadOf = (
  { policy, affinity, changeTo }: PolicyAffinity,
  state: PlanState,
  name: string,
  why: string,
): readonly Candidate[] => {
  const { clusterNames = [], exclude = [] } = affinity;
  const title = policyTitle(policy);
  if (clusterNames.length === 0) {
    const text = `let ${title} leave out the cluster ${name}, which ${why}`;
    const next = { ...affinity, exclude: [...exclude, name] };
    return [changeTo(next, { reason: 'AvoidCluster', text, cost: 2 })];
  }
  if (!clusterNames.includes(name)) return [];
  const otherNames = clusterNames.filter((one) => one !== name);
  const without =
    otherNames.length === 0
      ? []
      : [
          changeTo(
            { ...affinity, clusterNames: otherNames },
            {
              reason: 'AvoidCluster',
              text: `let ${title} no longer name the cluster ${name}, which ${why}`,
              cost: 2.6,
            },
          ),
        ];
  const swapCandidates = othersThan(state, [...clusterNames, ...exclude]).map((other, at) => {
    const text = `let ${title} use the cluster ${other} instead of ${name}, which ${why}`;
    const next = clusterNames.map((one) => (one === name ? other : one));
    return changeTo(
      { ...affinity, clusterNames: next },
      { reason: 'AvoidCluster', text, cost: 2.5 + at / 100 },
    );
  });
  return [...swapCandidates, ...without];
};

/** Candidates that move the work away from a failing cluster. */
export const avoidCluster = (
  { state, policy }: StuckWork,
  name: string,
  why: string,
): readonly Candidate[] =>
  policy === undefined
    ? []
    : affinitiesOf(policy).flatMap((one) => insteadOf(one, state, name, why));
