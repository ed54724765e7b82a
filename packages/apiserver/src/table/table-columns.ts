import type { PrinterColumn } from '@perigee/api/kind/define-kind';
import type { ComputedColumn } from '@perigee/kubernetes/resource/resource-description';
import { ParseError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { type Cell, printerCell } from './printer-cell.ts';

type Column = ServedResource['columns'][number];

/** The columns of a kind, ready to be filled. */
export interface TableColumns {
  readonly definitions: readonly JsonObject[];
  readonly cells: (object: JsonObject, nowMs: number) => readonly Cell[];
}

const metadataOf = (object: JsonObject): JsonObject => (object.metadata ?? {}) as JsonObject;

const NAME: ComputedColumn = {
  name: 'Name',
  type: 'string',
  doc: 'The name of the object, unique in its namespace.',
  cell: (object) => String(metadataOf(object).name ?? ''),
};

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  doc: 'The time since the object was created.',
  path: '.metadata.creationTimestamp',
};

const CREATED_AT: ComputedColumn = {
  name: 'Created At',
  type: 'date',
  doc: 'The time at which the object was created.',
  cell: (object) => String(metadataOf(object).creationTimestamp ?? ''),
};

const isComputed = (column: Column): column is ComputedColumn => 'cell' in column;

/** Built-in kinds that show something else first bring a column of that name with them. */
const allColumns = ({ origin, columns }: Pick<ServedResource, 'origin' | 'columns'>) => {
  if (origin === 'crd') return [NAME, ...(columns.length > 0 ? columns : [AGE])];
  if (columns.length === 0) return [NAME, CREATED_AT];
  return columns.some(({ name }) => name === NAME.name) ? columns : [NAME, ...columns];
};

/** As in kube-apiserver, an invalid path ends the columns rather than the table. */
const upToFirstWrong = (columns: readonly Column[]) => {
  const ready: { column: Column; cell: (object: JsonObject, nowMs: number) => Cell }[] = [];
  for (const column of columns) {
    try {
      ready.push({ column, cell: isComputed(column) ? column.cell : printerCell(column) });
    } catch (error) {
      if (error instanceof ParseError) break;
      throw error;
    }
  }
  return ready;
};

const describe = (column: Column): string =>
  column.doc === '' && !isComputed(column)
    ? `Custom resource definition column (in JSONPath format): ${column.path}`
    : column.doc;

const toDefinition = (column: Column): JsonObject => ({
  name: column.name,
  type: column.type,
  format: isComputed(column) && column.name === NAME.name ? 'name' : '',
  description: describe(column),
  priority: column.priority ?? 0,
});

const compile = (resource: ServedResource): TableColumns => {
  const ready = upToFirstWrong(allColumns(resource));
  return {
    definitions: ready.map(({ column }) => toDefinition(column)),
    cells: (object, nowMs) => ready.map(({ cell }) => cell(object, nowMs)),
  };
};

const columnsCache = new WeakMap<ServedResource, TableColumns>();

/** The columns of a kind in the order of its table; worked out once. */
export const tableColumns = (resource: ServedResource): TableColumns => {
  const cachedColumns = columnsCache.get(resource);
  if (cachedColumns !== undefined) return cachedColumns;
  const columns = compile(resource);
  columnsCache.set(resource, columns);
  return columns;
};
