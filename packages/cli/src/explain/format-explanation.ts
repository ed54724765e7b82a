import type { Attempt, ClusterVerdict, Explanation } from '@perigee/scheduling/placement/explain';
import { formatTable } from '../output/table.ts';

const DIVISIONS: { readonly [division in Explanation['division']]: string } = {
  duplicated: 'every chosen cluster gets all replicas',
  'static-weight': 'replicas are divided by fixed weights',
  'dynamic-weight': 'replicas are divided by the room that clusters have',
  aggregated: 'replicas go to as few clusters as have the room',
  whole: 'it has no replicas to divide and goes to every chosen cluster',
};

const ANY_NUMBER = 2 ** 31 - 1;

const room = (allocatable: number): string =>
  allocatable >= ANY_NUMBER ? 'any' : String(allocatable);

const detail = (verdict: ClusterVerdict): string => {
  if (verdict.verdict === 'refused') return verdict.message.replace('cluster(s)', 'it');
  const stays = verdict.previous > 0 ? `had ${verdict.previous}` : '';
  const overflow = verdict.tier > 0 ? `overflow group ${verdict.tier}` : '';
  return [stays, overflow].filter((part) => part !== '').join(', ');
};

const WORDS: { readonly [verdict in ClusterVerdict['verdict']]: string } = {
  chosen: 'chosen',
  selected: 'no replicas left',
  passed: 'not needed',
  refused: 'refused',
};

const row = (verdict: ClusterVerdict): readonly string[] => {
  const isRefused = verdict.verdict === 'refused';
  return [
    verdict.name,
    WORDS[verdict.verdict],
    isRefused ? '' : String(verdict.replicas ?? (verdict.verdict === 'chosen' ? 'all' : 0)),
    isRefused ? '' : room(verdict.allocatable),
    isRefused ? '' : String(verdict.score),
    isRefused ? verdict.filter : Object.keys(verdict.scores).join(','),
    detail(verdict),
  ];
};

const HEADER = ['CLUSTER', 'VERDICT', 'REPLICAS', 'ROOM', 'SCORE', 'BY', 'WHY'];

const formatAttempt = (attempt: Attempt, isWide: boolean): string => {
  const term = attempt.affinityName === undefined ? '' : `Group ${attempt.affinityName}: `;
  const result = attempt.outcome === 'placed' ? 'placed' : `${attempt.reason}: ${attempt.message}`;
  return `${term}${result}\n\n${formatTable([HEADER, ...attempt.clusters.map(row)], { isWide })}`;
};

/** An explanation for people. */
export const formatExplanation = (
  what: string,
  explanation: Explanation,
  isWide = false,
): string => {
  const { replicas, division, isFresh, attempts } = explanation;
  const count = division === 'whole' ? '' : ` with ${replicas} replicas`;
  const from = isFresh ? ', from scratch' : '';
  const head = `${what}${count}: ${DIVISIONS[division]}${from}.\n`;
  return [head, ...attempts.map((attempt) => formatAttempt(attempt, isWide))].join('\n');
};
