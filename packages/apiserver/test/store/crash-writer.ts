import { writeSync } from 'node:fs';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { valueAfter } from './crash-values.ts';

/**
 * Writes to a store until it is killed or has done its count. Every writer works on a key of its own;
 * a line says which write of that key was acknowledged, and its revision.
 */
const [path = '', round = '', count = '1'] = process.argv.slice(2);
const store = openLmdbStore({ path });

const writer = async (name: string): Promise<void> => {
  const key = `${round}/${name}`;
  for (let n = 0; n < Number(count); n++) {
    const value = valueAfter(n);
    const { revision } = await store.write('things', key, () =>
      value === undefined
        ? { remove: true }
        : { put: { metadata: { name }, value, padding: 'x'.repeat(500) } },
    );
    writeSync(1, `${key} ${n} ${revision}\n`);
  }
};

await Promise.all(Array.from({ length: 16 }, (_, n) => writer(`w${n}`)));
await store[Symbol.asyncDispose]();
