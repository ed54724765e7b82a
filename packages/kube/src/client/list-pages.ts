import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import type { Client, List, ListOptions } from './client.ts';

const PAGE_SIZE = 500;

/**
 * Lists in pages, all of one moment. When that moment is compacted away on the server in between,
 * the next page throws (see `isGone`): begin again.
 */
export const listPages = async function* <K extends ResourceKind>(
  client: Pick<Client, 'list'>,
  kind: K,
  options: Omit<ListOptions, 'continue'> = {},
): AsyncGenerator<List<StoredObjectOf<K>>> {
  const { resourceVersion, resourceVersionMatch, limit = PAGE_SIZE, ...others } = options;
  let page = await client.list(kind, { ...options, limit });
  yield page;
  while (page.metadata.continue) {
    page = await client.list(kind, { ...others, limit, continue: page.metadata.continue });
    yield page;
  }
};
