import { conditionReasons } from '@perigee/api/reasons/condition-reasons';
import { eventReasons } from '@perigee/api/reasons/event-reasons';
import type { Reason, Reasons, ReasonsOfKind } from '@perigee/api/reasons/reason';
import { reasonsElsewhere } from '@perigee/api/reasons/reasons-elsewhere';
import { verdictReasons } from '@perigee/api/reasons/verdict-reasons';

type Row = Reason & { readonly name: string };

const rowsOf = (reasons: Reasons): readonly Row[] =>
  Object.entries(reasons).map(([name, reason]) => ({ name, ...reason }));

const rowsOfKind = ({ of, conditions }: ReasonsOfKind): readonly Row[] =>
  Object.entries(conditions).flatMap(([type, reasons]) =>
    Object.entries(reasons).map(([name, meaning]) => ({ name, of: `${of}: ${type}`, ...meaning })),
  );

const byNameAndPlace = (a: Row, b: Row): number =>
  a.name < b.name || (a.name === b.name && a.of < b.of) ? -1 : 1;

const tableOf = (title: string, about: string, rows: readonly Row[]): string => {
  const lines = rows
    .toSorted(byNameAndPlace)
    .map(({ name, of, means, todo = '' }) => `| \`${name}\` | ${of} | ${means} | ${todo} |`);
  return `\n## ${title}\n\n${about}\n\n| reason | of | means | what to do |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
};

const inConditions = [
  ...Object.values<ReasonsOfKind>(conditionReasons).flatMap(rowsOfKind),
  ...reasonsElsewhere.flatMap(rowsOf),
];

/** The page of all reasons. */
export const reasonReference =
  (): string => `<!-- Generated from packages/api by \`npm run reference\`. Do not edit. -->

# Every reason

Perigee says why, in one word for programs and in a sentence for people. The words are closed lists: a word
that is not here is not written by the controllers. Events inside virtual members, and of the embedded server,
are those of Kubernetes.
${tableOf('In conditions', 'In `status.conditions[].reason`, of evictions, and of the targets of a trigger.', inConditions)}${tableOf('In verdicts', 'Why a cluster was turned away: the `reason` in `perigee explain -o json`. The table names the filter and its sentence.', rowsOf(verdictReasons))}${tableOf('In events', 'In the events of an object: `kubectl events --for …`.', rowsOf(eventReasons))}`;
