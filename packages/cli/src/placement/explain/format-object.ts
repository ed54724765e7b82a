import type {
  ObjectExplanation,
  ReportedCondition,
} from '@perigee/scheduling/explain/objects/object-explanation';
import { formatAge } from '../../output/age.ts';
import { printable } from '../../output/printable.ts';
import { formatReasonsTable } from '../../output/reasons-table.ts';
import { paint, type Terminal } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';

export interface ObjectLayout {
  readonly terminal: Terminal;
  readonly isWide: boolean;
  /** Milliseconds since the epoch, to which ages are counted. */
  readonly now: number;
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

const narrower = ({ terminal }: ObjectLayout): Terminal =>
  terminal.width === undefined ? terminal : { ...terminal, width: terminal.width - 2 };

/** Leaves out what the summary ends with. */
const formatFacts = (explanation: ObjectExplanation, layout: ObjectLayout): string => {
  const facts = explanation.facts.filter(
    ({ value }) => !explanation.summary.endsWith(`: ${value}`),
  );
  if (facts.length === 0) return '';
  const lines = facts.map(({ name, value }) => `${name}: ${value}\n`).join('');
  return `\n${indented(fitProse(lines, narrower(layout)))}`;
};

/** The message of the summary is not repeated. */
const rowOf = (
  { type, status, reason = '', message = '', lastTransitionTime }: ReportedCondition,
  summary: string,
  now: number,
): readonly string[] => [
  type,
  status,
  reason,
  lastTransitionTime === undefined ? '' : formatAge(now - Date.parse(lastTransitionTime)),
  summary.includes(message) ? '' : message,
];

const formatConditions = (
  { conditions, summary }: ObjectExplanation,
  layout: ObjectLayout,
): string => {
  if (conditions.length === 0) return '';
  const header = ['CONDITION', 'STATUS', 'REASON', 'FOR', 'MESSAGE'];
  const rows = [header, ...conditions.map((one) => rowOf(one, summary, layout.now))];
  const { isWide } = layout;
  return `\n${indented(formatReasonsTable(rows, { terminal: narrower(layout), isWide }))}`;
};

/** The explanation of an object that is no work, for people. */
export const formatObject = (explanation: ObjectExplanation, layout: ObjectLayout): string => {
  const { resource, summary, todo, commands } = explanation;
  const { kind, namespace, name } = resource;
  const title = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const { terminal } = layout;
  return [
    `${paint(terminal, 'bold', fitProse(printable(`${title}: ${summary}`), terminal))}\n`,
    formatFacts(explanation, layout),
    formatConditions(explanation, layout),
    todo === undefined ? '' : `\n${fitProse(todo, terminal)}\n`,
    commands.length === 0 ? '' : `\nSee also\n${commands.map((one) => `  ${one}\n`).join('')}`,
  ].join('');
};
