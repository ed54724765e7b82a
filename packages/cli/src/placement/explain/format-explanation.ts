import type {
  Attempt,
  ClusterVerdict,
  Explanation,
} from '@perigee/scheduling/explain/verdicts/explain-decision';
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
  if (verdict.verdict === 'refused') {
    return verdict.specific?.message ?? verdict.message.replace('cluster(s)', 'it');
  }
  const stays = verdict.previous > 0 ? `had ${verdict.previous}` : '';
  const overflow = verdict.tier > 0 ? `overflow group ${verdict.tier}` : '';
  return [stays, overflow].filter((part) => part !== '').join(', ');
};

/** The parts of a score, each with its points. */
const scoresText = (scores: { readonly [score: string]: number }): string =>
  Object.entries(scores)
    .map(([score, points]) => `${score} ${points}`)
    .join(', ');

const WORDS: { readonly [verdict in ClusterVerdict['verdict']]: string } = {
  chosen: 'chosen',
  selected: 'no replicas left',
  passed: 'not needed',
  refused: 'refused',
};

/** Of a decision that fails, no cluster is chosen: those that no filter refuses could be used. */
const wordFor = ({ verdict }: ClusterVerdict, isPlaced: boolean): string =>
  verdict !== 'refused' && !isPlaced ? 'usable' : WORDS[verdict];

/** How many replicas go to a cluster, and how many it could take; only where replicas are counted. */
const countsOf = (verdict: ClusterVerdict): readonly string[] =>
  verdict.verdict === 'refused'
    ? ['', '']
    : [
        String(verdict.replicas ?? (verdict.verdict === 'chosen' ? 'all' : 0)),
        room(verdict.allocatable),
      ];

const row = (verdict: ClusterVerdict, isPlaced: boolean, isCounted: boolean): readonly string[] => {
  const isRefused = verdict.verdict === 'refused';
  return [
    verdict.name,
    wordFor(verdict, isPlaced),
    ...(isCounted ? countsOf(verdict) : []),
    isRefused ? '' : String(verdict.score),
    isRefused ? verdict.filter : scoresText(verdict.scores),
    detail(verdict),
  ];
};

const headerOf = (isCounted: boolean): readonly string[] => [
  'CLUSTER',
  'VERDICT',
  ...(isCounted ? ['REPLICAS', 'ROOM'] : []),
  'SCORE',
  'BY',
  'WHY',
];

const outcomeOf = (attempt: Attempt): string => {
  if (attempt.outcome !== 'placed') {
    const why = attempt.shortage === undefined ? attempt.message : `${attempt.shortage}.`;
    return `${attempt.reason}: ${why}`;
  }
  const chosenCount = attempt.clusters.filter(({ verdict }) => verdict === 'chosen').length;
  const choice = attempt.choice === undefined ? '' : ` ${attempt.choice.message}.`;
  return `It would be placed on ${chosenCount} of ${attempt.clusters.length} clusters.${choice}`;
};

/** The groups over which the work is spread, if it has a spread constraint. */
const groupsText = ({ groups }: Attempt): string => {
  if (groups === undefined) return '';
  const { by, min, max, names } = groups;
  const range = max === undefined ? `at least ${min}` : `${min} to ${max}`;
  const groupTexts = names.map(({ name, clusters }) =>
    by === 'cluster' ? name : `${name} (${clusters.join(', ')})`,
  );
  return `Spread over ${range} by ${by}; there are ${names.length}: ${groupTexts.join(', ') || 'none'}.`;
};

/** Rows that fit on a screen; chosen clusters come first. */
const MOST_CLUSTERS = 25;

const formatAttempt = (attempt: Attempt, isCounted: boolean, isWide: boolean): string => {
  const term = attempt.affinityName === undefined ? '' : `Group ${attempt.affinityName}: `;
  const terminal = terminalOf(process.stdout);
  const outcome = [`${term}${outcomeOf(attempt)}`, groupsText(attempt)]
    .filter((line) => line !== '')
    .map((line) => fitProse(line, terminal))
    .join('\n');
  const isPlaced = attempt.outcome === 'placed';
  const visibleClusters = isWide ? attempt.clusters : attempt.clusters.slice(0, MOST_CLUSTERS);
  const more = attempt.clusters.length - visibleClusters.length;
  const rest = more > 0 ? `… and ${more} more: -o wide\n` : '';
  const rows = visibleClusters.map((verdict) => row(verdict, isPlaced, isCounted));
  const table = formatReasonsTable([headerOf(isCounted), ...rows], { isWide });
  return `${outcome}\n\n${table}${rest}`;
};

/** Names the clusters in which refused work goes on running. */
const staysText = (stays: NonNullable<Explanation['stays']>): string => {
  const shares = stays.map(({ name, replicas }) =>
    replicas === undefined ? name : `${name} (${replicas})`,
  );
  return `It would stay where it is: ${shares.join(', ')}.`;
};

/** The explanation of a decision for people. */
export const formatExplanation = (
  what: string,
  explanation: Explanation,
  isWide = false,
): string => {
  const { replicas, division, isFresh, stays, attempts } = explanation;
  const count = division === 'whole' ? '' : ` with ${replicas} replica${replicas === 1 ? '' : 's'}`;
  const from = isFresh ? ', from scratch' : '';
  const head = `${what}${count}: ${DIVISIONS[division]}${from}.`;
  // Without a cluster after the filters, the division of replicas does not matter.
  const isFiltered = attempts.every(({ reason }) => reason === 'NoClusterFit');
  const prose = [...(isFiltered ? [] : [head]), ...(stays === undefined ? [] : [staysText(stays)])];
  const intro = prose.map((line) => fitProse(line, terminalOf(process.stdout))).join('\n');
  const isCounted =
    division !== 'whole' ||
    attempts.some(({ clusters }) => clusters.some((one) => 'roomFrom' in one));
  return [
    ...(intro === '' ? [] : [`${intro}\n`]),
    ...attempts.map((attempt) => formatAttempt(attempt, isCounted, isWide)),
  ].join('\n');
};
