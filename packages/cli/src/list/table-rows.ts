import type { JsonValue } from '@perigee/api/json';
import type { ServerColumn, ServerRow } from './server-table.ts';

export interface ShownColumns {
  /** Adds the columns that are not for everybody. */
  readonly isWide: boolean;
  /** Puts the namespace before everything. */
  readonly withNamespace: boolean;
}

const textOf = (cell: JsonValue | undefined): string => {
  if (cell === undefined || cell === null) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
};

/** The names of the columns as kubectl writes them. */
export const headerOf = (
  columns: readonly ServerColumn[],
  { isWide, withNamespace }: ShownColumns,
): readonly string[] => [
  ...(withNamespace ? ['NAMESPACE'] : []),
  ...columns
    .filter(({ priority }) => isWide || priority === 0)
    .map(({ name }) => name.toUpperCase()),
];

export const cellsOf = (
  columns: readonly ServerColumn[],
  row: ServerRow,
  { isWide, withNamespace }: ShownColumns,
): readonly string[] => [
  ...(withNamespace ? [row.namespace ?? ''] : []),
  ...row.cells
    .filter((_, at) => isWide || (columns[at]?.priority ?? 0) === 0)
    .map((cell) => textOf(cell)),
];
