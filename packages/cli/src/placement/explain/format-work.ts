import type { ClusterView } from '@perigee/scheduling/explain/cluster-view';
import type { Hypothesis, WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import type { Finding, Severity } from '@perigee/scheduling/explain/finding';
import { formatAge } from '../../output/age.ts';
import { printable } from '../../output/printable.ts';
import { formatReasonsTable } from '../../output/reasons-table.ts';
import { formatTable } from '../../output/table.ts';
import { paint, type Terminal } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';
import { formatExplanation } from './format-explanation.ts';
import { formatRoomSources } from './format-room-sources.ts';
import { podCommand } from './pod-command.ts';

export interface WorkLayout {
  readonly terminal: Terminal;
  readonly isWide: boolean;
  /** Milliseconds since the epoch, to which ages are counted. */
  readonly now: number;
  /** True if the present decision is shown even where it equals the placement. */
  readonly showsDecision: boolean;
  readonly isRoomHidden: boolean;
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

/** Two columns in, and still no wider than the terminal. */
const narrower = ({ terminal }: WorkLayout): Terminal =>
  terminal.width === undefined ? terminal : { ...terminal, width: terminal.width - 2 };

const titleOf = ({ resource: { kind, namespace, name } }: WorkExplanation): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

const podsText = ({ pods }: ClusterView): string => {
  if (pods === undefined) return '?';
  const phases = Object.entries(pods).map(([phase, count]) => `${count} ${phase}`);
  return phases.join(', ') || '-';
};

const stateText = ({ isReachable, isLeaving, health }: ClusterView): string => {
  if (isReachable === false) return 'Unreachable';
  return isLeaving ? 'leaving' : health;
};

/** Rows that fit on a screen; unhealthy clusters come first. */
const MOST_CLUSTERS = 20;

const formatClusters = (views: readonly ClusterView[], layout: WorkLayout): string => {
  if (views.length === 0) return '';
  const isCounted = views.some(({ wanted }) => wanted !== undefined);
  const header = ['CLUSTER', ...(isCounted ? ['READY'] : []), 'WORK', 'STATE', 'PODS'];
  const visibleViews = layout.isWide ? views : views.slice(0, MOST_CLUSTERS);
  const more = views.length - visibleViews.length;
  const rest = more > 0 ? `  … and ${more} more: -o wide\n` : '';
  const rows = visibleViews.map((view) => [
    view.cluster,
    ...(isCounted ? [`${view.ready ?? 0}/${view.wanted ?? 0}`] : []),
    view.work,
    stateText(view),
    podsText(view),
  ]);
  const { isWide } = layout;
  return `\n${indented(formatTable([header, ...rows], { terminal: narrower(layout), isWide }))}${rest}`;
};

/** Maximum number of findings: work in hundreds of lost clusters has hundreds. */
const MOST_FINDINGS = 12;

const MARKS: { readonly [severity in Severity]: string } = {
  holds: 'holds it back',
  degrades: 'degrades it',
  info: 'note',
};

/** Leaves out the message that the summary has already. */
const whyText = ({ message }: Finding, summary: string): string =>
  summary.endsWith(message) ? '' : `${message}.`.replace(/([.?])\.$/, '$1');

const row = (finding: Finding, summary: string, now: number): readonly string[] => [
  finding.stage,
  finding.reason,
  MARKS[finding.severity],
  finding.severity === 'info' ? '' : finding.by,
  finding.since === undefined ? '' : formatAge(now - Date.parse(finding.since)),
  whyText(finding, summary),
];

const formatFindings = ({ findings, summary }: WorkExplanation, layout: WorkLayout): string => {
  if (findings.length === 0) return '';
  const { now, isWide } = layout;
  const order = (one: Finding): number => Number(one.severity === 'info');
  const orderedFindings = findings.toSorted((a, b) => order(a) - order(b));
  const visibleFindings = isWide ? orderedFindings : orderedFindings.slice(0, MOST_FINDINGS);
  const more = orderedFindings.length - visibleFindings.length;
  const rest = more > 0 ? `  … and ${more} more: -o wide\n` : '';
  const header = ['STAGE', 'REASON', 'EFFECT', 'UP TO', 'FOR', 'WHY'];
  const rows = [header, ...visibleFindings.map((finding) => row(finding, summary, now))];
  const table = formatReasonsTable(rows, { terminal: narrower(layout), isWide });
  return `\n${paint(layout.terminal, 'bold', 'Why')}\n${indented(table)}${rest}`;
};

/** The stages before the scheduler: what they hold is decided only after its release. */
const GATES: ReadonlySet<Finding['stage']> = new Set<Finding['stage']>([
  'data',
  'queue',
  'suspension',
]);

const formatHypothesis = (
  work: WorkExplanation,
  { explanation, difference }: Hypothesis,
  layout: WorkLayout,
): string => {
  const title = titleOf(work);
  const isHeld = work.findings.some(
    ({ stage, severity }) => severity === 'holds' && GATES.has(stage),
  );
  const condition = `If it were ${isHeld ? 'released and ' : ''}decided now`;
  const head = paint(layout.terminal, 'bold', condition);
  const isSame = difference === undefined && explanation.outcome === 'placed';
  if (isSame && !layout.showsDecision) return '';
  const fresh = explanation.isFresh ? ', from scratch' : '';
  const verdict =
    difference === undefined
      ? isSame
        ? 'nothing would change'
        : 'no cluster would be found'
      : difference.message;
  const prose = fitProse(
    `${condition}${fresh} (nothing of this has happened): ${verdict}.`,
    layout.terminal,
  ).replace(condition, head);
  const details = formatExplanation(title, explanation, layout.isWide);
  return `\n${prose}\n\n${details}${formatRoomSources(explanation, layout.isRoomHidden)}`;
};

/** An explanation for people: the state, its causes, then the marked hypothesis. */
export const formatWork = (explanation: WorkExplanation, layout: WorkLayout): string => {
  const title = titleOf(explanation);
  const summary = fitProse(`${title}: ${explanation.summary}`, layout.terminal);
  const { ifDecidedNow } = explanation;
  const command = podCommand(explanation);
  return [
    `${paint(layout.terminal, 'bold', summary)}\n`,
    formatClusters(explanation.clusters, layout),
    formatFindings(explanation, layout),
    command === undefined ? '' : `\nSee also\n  ${printable(command)}\n`,
    ifDecidedNow === undefined ? '' : formatHypothesis(explanation, ifDecidedNow, layout),
  ].join('');
};
