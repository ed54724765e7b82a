import type { JsonValue } from '@perigee/schema/json';
import type { ServerColumn, ServerRow } from './server-table.ts';

export interface ShownColumns {
  /** Adds the columns of `-o wide`. */
  readonly isWide: boolean;
  /** Adds the namespace as the first column. */
  readonly withNamespace: boolean;
}

const textOf = (cell: JsonValue | undefined): string => {
  if (cell === undefined || cell === null) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
};

/** Column names in kubectl's spelling. */
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
