import { stripVTControlCharacters } from 'node:util';
import { printable } from './printable.ts';
import { formatTable, type TableLayout } from './table.ts';
import { paint, type Terminal, terminalOf } from './terminal.ts';
import { wrap } from './wrap.ts';

type Rows = readonly (readonly string[])[];

const INDENT = '    ';
const GAP = 3;

/** The visible width of a line, without escape sequences. */
const visible = (line: string): number => stripVTControlCharacters(line).length;

const isEmpty = (rows: Rows, column: number): boolean => rows.every((row) => row[column] === '');

/** Drops empty columns. */
const filledColumns = ([header = [], ...rows]: Rows): Rows => {
  const columns = header.map((_, column) => column).filter((column) => !isEmpty(rows, column));
  return [header, ...rows].map((row) => columns.map((column) => row[column] ?? ''));
};

/** Appends the reason to the line where it fits, otherwise puts it below. */
const withReason = (line: string, reason: string, from: number, terminal: Terminal): string => {
  const { width = Number.POSITIVE_INFINITY } = terminal;
  if (reason === '') return line;
  if (from + reason.length <= width) return `${line}${' '.repeat(from - visible(line))}${reason}`;
  const paragraph = wrap(reason, width - INDENT.length).replaceAll(/^/gm, INDENT);
  return `${line}\n${paint(terminal, 'dim', paragraph)}`;
};

/**
 * A table whose last column is a reason. Reasons are not cut: one that does not fit becomes a paragraph below its
 * row.
 */
export const formatReasonsTable = (input: Rows, layout: TableLayout = {}): string => {
  const { terminal = terminalOf(process.stdout), isWide = false } = layout;
  const rows = filledColumns(input);
  const hasReasons = rows[0]?.at(-1) === input[0]?.at(-1);
  if (isWide || terminal.width === undefined || !hasReasons) return formatTable(rows, layout);
  const table = formatTable(
    rows.map((row) => row.slice(0, -1)),
    { ...layout, terminal },
  );
  const lines = table.trimEnd().split('\n');
  const from = Math.max(...lines.map(visible)) + GAP;
  const [head = '', ...others] = lines;
  const title = rows[0]?.at(-1) ?? '';
  const header =
    from + title.length <= terminal.width ? withReason(head, title, from, terminal) : head;
  const reasonLines = others.map((line, at) =>
    withReason(line, printable(rows[at + 1]?.at(-1) ?? ''), from, terminal),
  );
  return `${[header, ...reasonLines].join('\n')}\n`;
};
