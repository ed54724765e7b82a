import type {
  Attempt,
  ClusterVerdict,
  Explanation,
} from '@perigee/scheduling/placement/scheduler/explain';
import { formatReasonsTable } from '../../output/reasons-table.ts';
import { terminalOf } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';

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

const wordFor = ({ verdict }: ClusterVerdict, isPlaced: boolean): string =>
  verdict === 'selected' && !isPlaced ? 'selected' : WORDS[verdict];

const row = (verdict: ClusterVerdict, isPlaced: boolean): readonly string[] => {
  const isRefused = verdict.verdict === 'refused';
  return [
    verdict.name,
    wordFor(verdict, isPlaced),
    isRefused ? '' : String(verdict.replicas ?? (verdict.verdict === 'chosen' ? 'all' : 0)),
    isRefused ? '' : room(verdict.allocatable),
    isRefused ? '' : String(verdict.score),
    isRefused ? verdict.filter : Object.keys(verdict.scores).join(','),
    detail(verdict),
  ];
};

const HEADER = ['CLUSTER', 'VERDICT', 'REPLICAS', 'ROOM', 'SCORE', 'BY', 'WHY'];

const outcomeOf = (attempt: Attempt): string => {
  if (attempt.outcome !== 'placed') return `${attempt.reason}: ${attempt.message}`;
  const chosen = attempt.clusters.filter(({ verdict }) => verdict === 'chosen').length;
  return `Placed on ${chosen} of ${attempt.clusters.length} clusters.`;
};

const formatAttempt = (attempt: Attempt, isWide: boolean): string => {
  const term = attempt.affinityName === undefined ? '' : `Group ${attempt.affinityName}: `;
  const outcome = fitProse(`${term}${outcomeOf(attempt)}`, terminalOf(process.stdout));
  const isPlaced = attempt.outcome === 'placed';
  const rows = attempt.clusters.map((verdict) => row(verdict, isPlaced));
  const table = formatReasonsTable([HEADER, ...rows], { isWide });
  return `${outcome}\n\n${table}`;
};

/** Where refused work goes on running. */
const staysText = (stays: NonNullable<Explanation['stays']>): string => {
  const shares = stays.map(({ name, replicas }) =>
    replicas === undefined ? name : `${name} (${replicas})`,
  );
  return `It stays where it is: ${shares.join(', ')}.`;
};

/** An explanation for people. */
export const formatExplanation = (
  what: string,
  explanation: Explanation,
  isWide = false,
): string => {
  const { replicas, division, isFresh, stays, attempts } = explanation;
  const count = division === 'whole' ? '' : ` with ${replicas} replica${replicas === 1 ? '' : 's'}`;
  const from = isFresh ? ', from scratch' : '';
  const head = `${what}${count}: ${DIVISIONS[division]}${from}.`;
  const prose = stays === undefined ? [head] : [head, staysText(stays)];
  const told = prose.map((line) => fitProse(line, terminalOf(process.stdout))).join('\n');
  return [`${told}\n`, ...attempts.map((attempt) => formatAttempt(attempt, isWide))].join('\n');
};
