import { printable } from '../output/printable.ts';
import { formatTable } from '../output/table.ts';
import { paint, type Terminal } from '../output/terminal.ts';
import type { FleetView } from './fleet-view.ts';
import { shareLines } from './share-lines.ts';
import { type Section, viewSections } from './view-sections.ts';

export interface ViewLayout {
  readonly terminal: Terminal;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** Lines of the screen; absent if the output is not a terminal. */
  readonly height?: number;
}

/** The cursor takes a line below the text. */
const CURSOR_LINE = 1;

const INDENT = '    ';

const cut = (text: string, width = Number.POSITIVE_INFINITY): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** Replaces control characters: text from other users must neither break lines nor control the terminal. */
const noteLine = (note: string, terminal: Terminal): string =>
  paint(terminal, 'dim', cut(`${INDENT}${printable(note)}`, terminal.width));

const headOf = ({ title, summary }: Section): string => (summary ? `${title} ${summary}` : title);

const formatEmpty = ({ title, summary, columns }: Section, terminal: Terminal): string => {
  const { width = Number.POSITIVE_INFINITY } = terminal;
  const text = columns.length > 0 ? 'none' : summary;
  return `${paint(terminal, 'bold', title)} ${cut(text, width - title.length - 1)}\n`;
};

const linesOfRow = ({ notes }: Section): number => (notes === undefined ? 1 : 2);

const linesWanted = (section: Section): number => {
  const { rows, total } = section;
  return rows.length * linesOfRow(section) + (total > rows.length ? 1 : 0);
};

/** The narrowest width of a column, and the gap before it. */
const NARROWEST = 8;
const GAP = 3;

/** Shortens the first column, which tables never cut, so that the others stay readable. */
const withShortNames = (
  rows: readonly (readonly string[])[],
  { width }: Terminal,
): readonly (readonly string[])[] => {
  if (width === undefined) return rows;
  const widest = (column: number): number =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const others = (rows[0] ?? []).slice(1).map((_, at) => Math.min(NARROWEST, widest(at + 1)) + GAP);
  const room = width - others.reduce((sum, one) => sum + one, 0);
  const limit = Math.max(NARROWEST, Math.min(room, Math.floor(width / 2)));
  return rows.map(([name = '', ...cells]) => [cut(name, limit), ...cells]);
};

/** Formats the rows, each with its note below. */
const formatRows = (section: Section, count: number, terminal: Terminal): readonly string[] => {
  const { columns, rows, notes = [] } = section;
  const cells = [[headOf(section), ...columns], ...rows.slice(0, count)];
  const table = formatTable(withShortNames(cells, terminal), { terminal });
  const [header = '', ...lines] = table.trimEnd().split('\n');
  const noteBelow = (at: number): readonly string[] =>
    notes[at] === undefined ? [] : [noteLine(notes[at], terminal)];
  return [header, ...lines.flatMap((line, at) => [line, ...noteBelow(at)])];
};

/** A section of at most `lines` lines below its title; the last line counts the rows that are left out. */
const formatSection = (section: Section, lines: number, terminal: Terminal): string => {
  const { rows, total, more } = section;
  if (rows.length === 0) return formatEmpty(section, terminal);
  const isAll = linesWanted(section) <= lines && total <= rows.length;
  const count = isAll ? rows.length : Math.max(0, Math.floor((lines - 1) / linesOfRow(section)));
  const rest = cut(`… ${total - count} more: ${more}`, terminal.width);
  const rowLines = formatRows(section, count, terminal);
  return `${[...rowLines, ...(isAll || lines === 0 ? [] : [rest])].join('\n')}\n`;
};

/** Formats the fleet to fit the terminal in width and height. */
export const formatView = (
  view: FleetView,
  { terminal, now, height = Number.POSITIVE_INFINITY }: ViewLayout,
): string => {
  const sections = viewSections(view, now);
  const demands = sections.map(linesWanted);
  const room = height - CURSOR_LINE - sections.length;
  const desiredLines = demands.reduce((sum, one) => sum + one, 0);
  const gap = room >= desiredLines + sections.length - 1 ? '\n' : '';
  const shares = Number.isFinite(room) ? shareLines(demands, Math.max(0, room)) : demands;
  return sections.map((section, at) => formatSection(section, shares[at] ?? 0, terminal)).join(gap);
};
