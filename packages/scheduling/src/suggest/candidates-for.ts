import { namesIn } from '../explain/stages/placement-stage.ts';
import type { Verdict } from '../placement/scheduler/outcome.ts';
import { byAffinity } from './candidates/by-affinity.ts';
import { byApis, byTaints } from './candidates/by-cluster.ts';
import { byData } from './candidates/by-data.ts';
import { byGroup } from './candidates/by-group.ts';
import { byNodes } from './candidates/by-nodes.ts';
import { byObstacle } from './candidates/by-obstacle.ts';
import { byPolicy } from './candidates/by-policy.ts';
import { byQueue } from './candidates/by-queue.ts';
import { byRoom } from './candidates/by-room.ts';
import { bySpread } from './candidates/by-spread.ts';
import type { StuckWork } from './stuck-work.ts';
import type { Candidate } from './suggestion.ts';

/** Limit of clusters to try for each reason of refusal. */
const MOST_CLUSTERS = 6;

/** The clusters refused for a reason: those that the policy names first, then those with the most room. */
const refusedFor = (
  { state, policy }: StuckWork,
  verdicts: readonly Verdict[],
  reason: string,
): readonly string[] => {
  const named = new Set(namesIn(policy?.spec.placement ?? {}));
  return [...new Set(verdicts.filter((one) => one.reason === reason).map(({ cluster }) => cluster))]
    .map((name) => ({
      name,
      rank: Number(!named.has(name)),
      cpu: state.room.get(name)?.capacity?.free.get('cpu')?.parts ?? 0,
    }))
    .sort((a, b) => a.rank - b.rank || b.cpu - a.cpu || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_CLUSTERS)
    .map(({ name }) => name);
};

/** Several clusters may ask for the same change. */
const distinct = (candidates: readonly Candidate[]): readonly Candidate[] => {
  const keyOf = ({ text, patch, manifest }: Candidate) => JSON.stringify([text, patch, manifest]);
  return [...new Map(candidates.map((one) => [keyOf(one), one])).values()];
};

/** Candidates for stuck work, derived from its refusals. */
export const candidatesFor = (work: StuckWork): readonly Candidate[] => {
  if (work.obstacles !== undefined) return byObstacle(work).toSorted((a, b) => a.cost - b.cost);
  const { decision } = work;
  const verdicts = (decision?.attempts ?? []).flatMap(({ reasoning }) => reasoning.refused);
  const isRefused = decision !== undefined && decision.outcome.kind === 'refused';
  const hasCandidates = (decision?.attempts ?? []).some(
    ({ reasoning }) => reasoning.candidates.length > 0,
  );
  const candidates = [
    ...byPolicy(work),
    ...byQueue(work),
    ...byData(work),
    ...byTaints(work, refusedFor(work, verdicts, 'TaintNotTolerated')),
    ...byApis(work, refusedFor(work, verdicts, 'ApiNotServed')),
    ...byAffinity(work, refusedFor(work, verdicts, 'AffinityMismatch')),
    ...(isRefused && hasCandidates ? bySpread(work) : []),
    ...(isRefused && hasCandidates ? [...byRoom(work), ...byNodes(work)] : []),
    ...(isRefused ? byGroup(work) : []),
    ...(work.key !== undefined && work.state.verdicts.get(work.key)?.kind === 'capacity'
      ? byRoom(work)
      : []),
  ];
  return distinct(candidates).toSorted((a, b) => a.cost - b.cost);
};
