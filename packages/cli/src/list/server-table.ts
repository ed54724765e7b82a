import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';

/** A Table of meta.k8s.io, as the server renders it. */
export interface ServerTable {
  readonly columns: readonly ServerColumn[];
  readonly rows: readonly ServerRow[];
  readonly resourceVersion: string;
  /** The token of the next page. */
  readonly continue?: string;
}

export interface ServerColumn {
  readonly name: string;
  /** Columns with a priority above 0 are only shown with `-o wide`. */
  readonly priority: number;
}

export interface ServerRow {
  readonly cells: readonly JsonValue[];
  readonly name: string;
  readonly namespace?: string;
  readonly resourceVersion: string;
}

const PLAIN_COLUMNS: readonly ServerColumn[] = [
  { name: 'Name', priority: 0 },
  { name: 'Created', priority: 0 },
];

const objectIn = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const listIn = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value : [];
const textIn = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const rowOf = (cells: readonly JsonValue[], metadata: JsonObject): ServerRow => ({
  cells,
  name: textIn(metadata.name) || textIn(cells[0]),
  ...present({ namespace: unlessEmpty(textIn(metadata.namespace)) }),
  resourceVersion: textIn(metadata.resourceVersion),
});

const plainRow = (value: JsonValue): ServerRow => {
  const metadata = objectIn(objectIn(value).metadata);
  return rowOf([textIn(metadata.name), textIn(metadata.creationTimestamp)], metadata);
};

/** Parses a Table; a plain list, from servers that render none, is shown by name. */
export const readServerTable = (answer: unknown): ServerTable => {
  const body = objectIn(answer as JsonValue);
  const metadata = objectIn(body.metadata);
  const token = textIn(metadata.continue);
  const position = {
    resourceVersion: textIn(metadata.resourceVersion),
    ...present({ continue: unlessEmpty(token) }),
  };
  if (body.kind !== 'Table') {
    const items = 'items' in body ? listIn(body.items) : [body];
    return { ...position, columns: PLAIN_COLUMNS, rows: items.map(plainRow) };
  }
  return {
    ...position,
    columns: listIn(body.columnDefinitions).map((column) => {
      const { name, priority } = objectIn(column);
      return { name: textIn(name), priority: typeof priority === 'number' ? priority : 0 };
    }),
    rows: listIn(body.rows).map((row) => {
      const { cells, object } = objectIn(row);
      return rowOf(listIn(cells), objectIn(objectIn(object).metadata));
    }),
  };
};
