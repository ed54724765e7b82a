import { printable } from './printable.ts';
import { paint, paintWord, type Terminal, terminalOf } from './terminal.ts';

type Rows = readonly (readonly string[])[];

const GAP = '   ';
const NARROWEST = 8;

export interface TableLayout {
  readonly terminal?: Terminal;
  /** Allows lines wider than the terminal. */
  readonly isWide?: boolean;
  /** The first row has the column names; true by default. */
  readonly hasHeader?: boolean;
}

const naturalWidths = (rows: Rows): readonly number[] => {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return widths;
};

/** The width of a row; empty trailing columns take none. */
const lengthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, 0) +
  GAP.length *
    Math.max(
      0,
      widths.findLastIndex((one) => one > 0),
    );

/** Shrinks the widest columns, never the first, until the row fits. */
const fitWidths = (natural: readonly number[], width: number): readonly number[] => {
  const limited = (limit: number): readonly number[] =>
    natural.map((one, column) => (column === 0 ? one : Math.min(one, limit)));
  let limit = Math.max(...natural);
  while (limit > NARROWEST && lengthOf(limited(limit)) > width) limit -= 1;
  const widths = limited(limit);
  const widened = natural.findIndex((one, column) => column > 0 && one > limit);
  const spare = Math.max(0, width - lengthOf(widths));
  return widened < 0 ? widths : widths.with(widened, (widths[widened] ?? 0) + spare);
};

const cut = (cell: string, width: number): string =>
  cell.length <= width ? cell : `${cell.slice(0, Math.max(0, width - 1))}…`;

/** Formats batches of rows with common column widths. */
export class TableWriter {
  readonly #terminal: Terminal;
  readonly #isWide: boolean;
  #hasHeader: boolean;
  #widths: readonly number[] = [];

  constructor({ terminal, isWide, hasHeader }: TableLayout = {}) {
    this.#terminal = terminal ?? terminalOf(process.stdout);
    this.#isWide = isWide ?? false;
    this.#hasHeader = hasHeader ?? true;
  }

  /** Formats more rows; columns never get narrower than before. */
  format(lines: Rows): string {
    const rows = lines.map((row) => row.map((cell) => printable(cell)));
    const { width } = this.#terminal;
    const natural = naturalWidths([...rows, this.#widths.map((size) => ' '.repeat(size))]);
    const isCut = !this.#isWide && width !== undefined && lengthOf(natural) > width;
    this.#widths = isCut ? fitWidths(natural, width) : natural;
    return rows.map((row) => `${this.#line(row)}\n`).join('');
  }

  #line(row: readonly string[]): string {
    const isHeader = this.#hasHeader;
    this.#hasHeader = false;
    const cells = row.map((cell, column) => {
      const size = this.#widths[column] ?? 0;
      const text = cut(cell, size).padEnd(size);
      return isHeader ? text : paintWord(this.#terminal, cell, text);
    });
    const line = cells.join(GAP).trimEnd();
    return isHeader ? paint(this.#terminal, 'bold', line) : line;
  }
}

/**
 * Columns as kubectl prints them: as wide as their widest cell, three blanks apart. On a terminal, cells
 * are cut so that each row is one line.
 */
export const formatTable = (rows: Rows, layout: TableLayout = {}): string =>
  new TableWriter(layout).format(rows);
