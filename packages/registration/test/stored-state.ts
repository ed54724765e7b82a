import type { Store } from '@perigee/apiserver/store/store';

/** The server derives these from the kinds it serves, shortly after its start. */
const isAboutServer = (table: string): boolean => table.endsWith('/apiservices');

/** A text that differs after any write or removal. */
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
