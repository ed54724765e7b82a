import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';

/** Writes to a store until that fails, and reports what it holds then. */
const [path = ''] = process.argv.slice(2);
const store = openLmdbStore({ path });
const watch = store.watch('things', { since: 0 });

const BATCH = 20;
let acknowledged = 0;
let tried = 0;
let failure: PromiseRejectedResult | undefined;
while (failure === undefined) {
  const writes = Array.from({ length: BATCH }, () =>
    store.write('things', `thing-${tried++}`, () => ({ put: { padding: 'x'.repeat(2_000) } })),
  );
  const results = await Promise.allSettled(writes);
  acknowledged += results.filter(({ status }) => status === 'fulfilled').length;
  failure = results.find((result) => result.status === 'rejected');
}
const { revision } = store;
const count = store.count('things');
await store[Symbol.asyncDispose]();
const events = (await Array.fromAsync(watch)).flat().length;
const { name: error, message } = failure.reason;
const report = { acknowledged, tried, count, events, revision, error, message };
process.stdout.write(JSON.stringify(report));
