import { conditionReasons } from '@perigee/api/reasons/condition-reasons';
import { eventReasons } from '@perigee/api/reasons/event-reasons';
import type { Reasons } from '@perigee/api/reasons/reason';
import { verdictReasons } from '@perigee/api/reasons/verdict-reasons';

const tableOf = (title: string, about: string, reasons: Reasons): string => {
  const rows = Object.entries(reasons)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { of, means, todo = '' }]) => `| \`${name}\` | ${of} | ${means} | ${todo} |`);
  return `\n## ${title}\n\n${about}\n\n| reason | of | means | what to do |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
};

/** The page of all reasons. */
export const reasonReference =
  (): string => `<!-- Generated from packages/api by \`npm run reference\`. Do not edit. -->

# Every reason

Perigee says why, in one word for programs and in a sentence for people. The words are closed lists: a word
that is not here is not written by the controllers. Events inside virtual members, and of the embedded server,
are those of Kubernetes.
${tableOf('In conditions', 'In `status.conditions[].reason`, and of evictions.', conditionReasons)}${tableOf('In verdicts', 'Why a cluster was turned away: the `reason` in `perigee explain -o json`. The table names the filter and its sentence.', verdictReasons)}${tableOf('In events', 'In the events of an object: `kubectl events --for …`.', eventReasons)}`;
