import type { Store } from '@perigee/apiserver/store/store';

/** These follow from the kinds that are served, a moment after the server has started. */
const isAboutServer = (table: string): boolean => table.endsWith('/apiservices');

/** Another text with everything that is written or removed, whatever it is. */
export const storedState = (store: Store): string =>
  store
    .tables()
    .filter((table) => !isAboutServer(table))
    .map((table) => {
      const { entries } = store.range(table);
      return `${table} ${entries.length} ${Math.max(...entries.map(({ revision }) => revision))}`;
    })
    .sort()
    .join('\n');
