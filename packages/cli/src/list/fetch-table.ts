import type { ApiCaller } from '@perigee/kube/client/api-caller';
import { resourcePath, withQuery } from '@perigee/kube/client/resource-path';
import { WatchStream } from '@perigee/kube/client/watch-stream';
import { isGone } from '@perigee/kube/errors';
import type { JsonValue } from '@perigee/schema/json';
import type { Selection } from './selection.ts';
import { readServerTable, type ServerTable } from './server-table.ts';

const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const PAGE_SIZE = 500;
const LARGEST_EVENT_BYTES = 16 * 1024 * 1024;

/** Fetches one object as a table with one row. */
export const fetchRow = async (
  caller: ApiCaller,
  { resource, namespace }: Selection,
  name: string,
): Promise<ServerTable> => {
  const path = resourcePath(resource, { namespace, name });
  return readServerTable(
    await caller.object({ method: 'GET', path, kind: resource, accept: ACCEPT }),
  );
};

/** Fetches the selected objects in pages, or all at once if the `continue` token expires (410). */
export const fetchTable = async (
  caller: ApiCaller,
  { resource, namespace, labelSelector, fieldSelector }: Selection,
): Promise<ServerTable> => {
  const page = async (limit?: number, token?: string): Promise<ServerTable> => {
    const query = { labelSelector, fieldSelector, limit, continue: token };
    const path = withQuery(resourcePath(resource, { namespace }), query);
    const request = { method: 'GET', path, kind: resource, accept: ACCEPT } as const;
    return readServerTable(await caller.object(request));
  };
  const first = await page(PAGE_SIZE);
  const rows = [...first.rows];
  let last = first;
  try {
    while (last.continue !== undefined) {
      last = await page(PAGE_SIZE, last.continue);
      rows.push(...last.rows);
    }
  } catch (error) {
    if (isGone(error)) return page();
    throw error;
  }
  return { columns: first.columns, rows, resourceVersion: last.resourceVersion };
};

export interface TableChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly table: ServerTable;
}

/** Watches after a resource version; each event carries a table of one row. */
export const watchTable = async function* (
  caller: ApiCaller,
  { resource, namespace, labelSelector, fieldSelector }: Selection,
  resourceVersion: string,
): AsyncGenerator<TableChange, void> {
  const query = { watch: true, allowWatchBookmarks: true, resourceVersion };
  const path = withQuery(resourcePath(resource, { namespace }), {
    ...query,
    labelSelector,
    fieldSelector,
  });
  const stream = new WatchStream<JsonValue>(caller, {
    method: 'GET',
    path,
    kind: resource,
    accept: ACCEPT,
    largestEventBytes: LARGEST_EVENT_BYTES,
  });
  for await (const { type, object } of { [Symbol.asyncIterator]: () => stream }) {
    yield { type, table: readServerTable(object) };
  }
};
