import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import { isGone } from '../errors.ts';
import type { Client, List, ListOptions } from './client.ts';
import { listPages } from './list-pages.ts';

/**
 * Every object, of one moment. If the server compacts that moment away between two pages, the whole
 * list is asked for once more in one piece, which cannot expire.
 */
export const listAll = async <K extends ResourceKind>(
  client: Pick<Client, 'list'>,
  kind: K,
  options: Omit<ListOptions, 'continue'> = {},
): Promise<List<StoredObjectOf<K>>> => {
  const items: StoredObjectOf<K>[] = [];
  let resourceVersion = '';
  try {
    for await (const page of listPages(client, kind, options)) {
      for (const item of page.items) items.push(item);
      resourceVersion = page.metadata.resourceVersion;
    }
  } catch (error) {
    if (!isGone(error) || items.length === 0) throw error;
    const { limit, ...unlimited } = options;
    return client.list(kind, unlimited);
  }
  return { metadata: { resourceVersion }, items };
};
