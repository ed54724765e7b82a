import { apiKey } from '../../placement/scheduler/cluster-facts.ts';
import { isReady } from '../../plan/cluster-steps.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { affinitiesOf, type PolicyAffinity } from './affinities.ts';
import { policyTitle } from './policy-change.ts';

/** Limit of alternative clusters. */
const MOST_OTHERS = 4;

/** Healthy clusters that serve the work, those with the most room first. */
const othersThan = ({ state, binding }: StuckWork, bad: readonly string[]): readonly string[] =>
  state.room.all
    .filter(({ name, taints, isDeleting, apis }) => {
      const cluster = state.clusters.get(name);
      const isWell = cluster !== undefined && isReady(cluster) && taints.length === 0;
      const api = binding && apiKey(binding.spec.resource.apiVersion, binding.spec.resource.kind);
      const isServed = api === undefined || apis.has(api);
      return isWell && isServed && !isDeleting && !bad.includes(name);
    })
    .map(({ name, capacity }) => ({ name, cpu: capacity?.free.get('cpu')?.parts ?? 0 }))
    .sort((a, b) => b.cpu - a.cpu || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_OTHERS)
    .map(({ name }) => name);

const insteadOf = (
  { policy, affinity, changeTo }: PolicyAffinity,
  work: StuckWork,
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
  const swapCandidates = othersThan(work, [...clusterNames, ...exclude]).map((other, at) => {
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
export const avoidCluster = (work: StuckWork, name: string, why: string): readonly Candidate[] =>
  work.policy === undefined
    ? []
    : affinitiesOf(work.policy).flatMap((one) => insteadOf(one, work, name, why));
