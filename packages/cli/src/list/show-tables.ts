import type { ApiCaller } from '@perigee/kube/client/api-caller';
import type { JsonValue } from '@perigee/schema/json';
import { TableWriter } from '../output/table.ts';
import { eachNamed, throwFailures } from './each-named.ts';
import { fetchRow, fetchTable, type TableChange, watchTable } from './fetch-table.ts';
import { keepWatching } from './keep-watching.ts';
import type { ListRequest } from './list-request.ts';
import type { Selection } from './selection.ts';
import type { ServerColumn, ServerRow, ServerTable } from './server-table.ts';

interface ShownColumns {
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
const headerOf = (
  columns: readonly ServerColumn[],
  { isWide, withNamespace }: ShownColumns,
): readonly string[] => [
  ...(withNamespace ? ['NAMESPACE'] : []),
  ...columns
    .filter(({ priority }) => isWide || priority === 0)
    .map(({ name }) => name.toUpperCase()),
];

const cellsOf = (
  columns: readonly ServerColumn[],
  row: ServerRow,
  { isWide, withNamespace }: ShownColumns,
): readonly string[] => [
  ...(withNamespace ? [row.namespace ?? ''] : []),
  ...row.cells
    .filter((_, at) => isWide || (columns[at]?.priority ?? 0) === 0)
    .map((cell) => textOf(cell)),
];

/** Prints rows in batches under one header. */
class RowPrinter {
  readonly #writer: TableWriter;
  readonly #shownColumns: ShownColumns;
  readonly #showsEvents: boolean;
  #isFirst: boolean;
  #columns: readonly ServerColumn[] = [];

  constructor({ output, headers, allNamespaces, watch }: ListRequest, { resource }: Selection) {
    const isWide = output === 'wide';
    const withNamespace = allNamespaces === true && resource.scope === 'Namespaced';
    this.#writer = new TableWriter({ isWide, hasHeader: headers });
    this.#shownColumns = { isWide, withNamespace };
    this.#isFirst = headers;
    this.#showsEvents = watch === true;
  }

  print({ columns, rows }: ServerTable, event = ''): void {
    if (columns.length > 0) this.#columns = columns;
    if (rows.length === 0) return;
    const last = (word: string): readonly string[] => (this.#showsEvents ? [word] : []);
    const lines = rows.map((row) => [
      ...cellsOf(this.#columns, row, this.#shownColumns),
      ...last(event),
    ]);
    const header = this.#isFirst
      ? [[...headerOf(this.#columns, this.#shownColumns), ...last('')]]
      : [];
    this.#isFirst = false;
    process.stdout.write(this.#writer.format([...header, ...lines]));
  }
}

const keyOf = ({ namespace = '', name }: ServerRow): string => `${namespace}/${name}`;

/** Prints each event, and after a reconnect the rows that changed meanwhile, or are gone. */
const follow = (
  caller: ApiCaller,
  selection: Selection,
  printer: RowPrinter,
  first: ServerTable,
): Promise<never> => {
  const present = new Map(first.rows.map((row) => [keyOf(row), row]));
  const take = async ({ type, table }: TableChange): Promise<string | undefined> => {
    const [row] = table.rows;
    const version = row?.resourceVersion || table.resourceVersion || undefined;
    if (type === 'BOOKMARK' || row === undefined) return version;
    if (type === 'DELETED') present.delete(keyOf(row));
    else present.set(keyOf(row), row);
    printer.print(table, type === 'DELETED' ? 'deleted' : '');
    return version;
  };
  const relist = async (): Promise<string> => {
    const table = await fetchTable(caller, selection);
    const rows = table.rows.filter(
      (row) => present.get(keyOf(row))?.resourceVersion !== row.resourceVersion,
    );
    const keys = new Set(table.rows.map(keyOf));
    const removedRows = [...present].flatMap(([key, row]) => (keys.has(key) ? [] : [row]));
    for (const row of removedRows) present.delete(keyOf(row));
    for (const row of rows) present.set(keyOf(row), row);
    printer.print({ ...table, rows: removedRows }, 'deleted');
    printer.print({ ...table, rows });
    return table.resourceVersion;
  };
  const watch = (version: string) => watchTable(caller, selection, version);
  return keepWatching({ watch, take, relist }, first.resourceVersion);
};

/** Fetches several objects as one table. */
const fetchRows = async (
  caller: ApiCaller,
  selection: Selection,
  names: readonly string[],
  printer: RowPrinter,
): Promise<number> => {
  const { values: tables, failures } = await eachNamed(names, (name) =>
    fetchRow(caller, selection, name),
  );
  const columns = tables[0]?.columns ?? [];
  const rows = tables.flatMap((table) => table.rows);
  printer.print({ columns, rows, resourceVersion: '' });
  await throwFailures(failures);
  return rows.length;
};

/** Prints objects in the server's columns. Returns their number. */
export const showTables = async (
  caller: ApiCaller,
  selection: Selection,
  request: ListRequest,
): Promise<number> => {
  const { names, watch } = request;
  const printer = new RowPrinter(request, selection);
  if (names.length > 0 && !watch) return fetchRows(caller, selection, names, printer);
  const table = await fetchTable(caller, selection);
  printer.print(table);
  return watch ? follow(caller, selection, printer, table) : table.rows.length;
};
