import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { HistoryEntry } from '@perigee/scheduling/explain/history/placement-history';
import type { Command } from 'commander';
import { openConnection } from '../../connect.ts';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatAge } from '../../output/age.ts';
import { formatReasonsTable } from '../../output/reasons-table.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { bindingAbout, findWork } from '../explain/find-work.ts';
import { readHistory, type WorkHistory } from './read-history.ts';

export interface HistoryOptions {
  readonly namespace?: string;
  readonly output?: string;
}

const HEADER = ['AGO', 'EVENT', 'CAUSE', 'BY', 'WHY'];

const movesText = ({ before, after }: HistoryEntry): string =>
  before === after ? '' : `${before || 'nowhere'} → ${after || 'nowhere'}; `;

const row = (entry: HistoryEntry, now: number): readonly string[] => [
  entry.at === undefined ? 'before' : formatAge(now - Date.parse(entry.at)),
  entry.event,
  entry.cause,
  entry.by ?? '',
  `${movesText(entry)}${entry.message}`,
];

const SOURCES: { readonly [from in WorkHistory['from']]: string } = {
  server: '',
  binding:
    '\nThe server keeps no past: these are the last placements that the binding notes, and what Events still tell.\n',
  nothing: '',
};

/** Shows the placements of a workload over time, and their causes. */
export const runHistory = async (
  target: string,
  options: HistoryOptions,
  command: Command,
): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client, namespace: usual } = connection;
  const work = await findWork(client, target, options.namespace ?? usual);
  const present = work.binding ?? (await bindingAbout(client, work.resource));
  const history = await readHistory(client, work, present);
  if (history.from === 'nothing') {
    const { kind, name } = work.resource;
    const hint = `"perigee explain ${kind.toLowerCase()}/${name}" tells why`;
    throw new CommandError(EXIT.notFound, `${kind} ${name} has never been placed; ${hint}`);
  }
  const rows = history.entries.map((entry) => row(entry, clock.now()));
  const table =
    rows.length === 0
      ? 'It has not been placed yet.\n'
      : formatReasonsTable([HEADER, ...rows], { isWide: options.output === 'wide' });
  process.stdout.write(
    (await formatStructured(options.output, history)) ?? `${table}${SOURCES[history.from]}`,
  );
};
