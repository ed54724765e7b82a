import { createReadStream, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GroupCommit } from '@perigee/apiserver/store/group-commit';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import type { Store } from '@perigee/apiserver/store/store';
import type { JsonObject } from '@perigee/schema/json';
import { liveBytes } from './live-bytes.ts';
import { LISTED, OBJECTS, type StoreTask, WATCHERS, WRITERS } from './store-tasks.ts';

const TABLE = 'root/configmaps';
const SECONDS = 2;
const [task = '', folder = ''] = process.argv.slice(2);
const path = join(folder, 'store');
const lines = join(folder, 'lines');
const COMMA = Buffer.from(',');

const nameOf = (at: number): string => `config-${String(at).padStart(6, '0')}`;
const keyOf = (at: number): string => `team-${at % 50}/${nameOf(at)}`;
const objectOf = (at: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: nameOf(at),
    namespace: `team-${at % 50}`,
    labels: { app: 'web', tier: 'front', number: String(at) },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  data: Object.fromEntries(
    Array.from({ length: 16 }, (_, n) => [`setting-${n}`, `value ${n} of the object ${at}`]),
  ),
});

const putInto = (store: Store, at: number) =>
  store.write(TABLE, keyOf(at), () => ({ put: objectOf(at) }));

const fill = async (store: Store, count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1_000) {
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => putInto(store, at + n)));
  }
};

/** Acts per second of so many workers, each of which acts again and again. */
const rateOf = async (workers: number, act: (at: number) => Promise<unknown>): Promise<number> => {
  const until = performance.now() + SECONDS * 1000;
  let doneCount = 0;
  const worker = async () => {
    while (performance.now() < until) await act(doneCount++ % 10_000);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return doneCount / SECONDS;
};

const plainFile = async (): Promise<(at: number) => Promise<void>> => {
  const file = await open(join(folder, 'log'), 'a');
  const commits = new GroupCommit<{ bytes: Buffer; done: () => void }>({
    flush: async (writes) => {
      await file.writev(writes.map(({ bytes }) => bytes));
      await file.datasync();
    },
    publish: (writes) => {
      for (const { done } of writes) done();
    },
    fail: (_, error) => {
      throw error;
    },
  });
  return (at) =>
    new Promise((resolve) => {
      commits.add({ bytes: Buffer.from(JSON.stringify(objectOf(at))), done: resolve });
    });
};

const rateOfLists = (list: () => Buffer): number => {
  list();
  const until = performance.now() + SECONDS * 1000;
  let bytes = 0;
  let lists = 0;
  for (; performance.now() < until; lists++) bytes += list().length;
  if (bytes < lists * LISTED * 500) throw new Error('the lists are not whole');
  return (lists * LISTED) / SECONDS;
};

const fanOut = async (): Promise<number> => {
  await using store = createMemoryStore();
  let delivered = 0;
  const read = async () => {
    for await (const events of store.watch(TABLE, { since: 0 })) delivered += events.length;
  };
  const readers = Array.from({ length: WATCHERS }, read);
  const before = performance.now();
  const writes = await rateOf(WRITERS, (at) => putInto(store, at));
  await store[Symbol.asyncDispose]();
  await Promise.all(readers);
  if (delivered !== writes * SECONDS * WATCHERS) throw new Error(`only ${delivered} delivered`);
  return delivered / ((performance.now() - before) / 1000);
};

/** The bytes that live on for each object that the function keeps. */
const memoryPerObject = async (keep: () => Promise<ReadonlyMap<string, unknown> | Store>) => {
  const before = liveBytes();
  const content = await keep();
  const bytes = liveBytes() - before;
  const count = content instanceof Map ? content.size : (content as Store).count(TABLE);
  return bytes / count;
};

const timeOf = async (act: () => Promise<number>): Promise<number> => {
  const before = performance.now();
  if ((await act()) !== OBJECTS) throw new Error('not all objects were there');
  return performance.now() - before;
};

const TASKS: { readonly [task in StoreTask]: () => Promise<number> } = {
  writes: async () => {
    await using store = openLmdbStore({ path });
    return await rateOf(WRITERS, (at) => putInto(store, at));
  },
  'writes to a plain file': async () => rateOf(WRITERS, await plainFile()),
  list: async () => {
    const store = createMemoryStore();
    await fill(store, LISTED);
    return rateOfLists(() =>
      Buffer.concat(store.range(TABLE).entries.flatMap(({ bytes }) => [bytes, COMMA])),
    );
  },
  'list by stringify': async () => {
    const objects = Array.from({ length: LISTED }, (_, at) => objectOf(at));
    return rateOfLists(() => Buffer.from(JSON.stringify(objects)));
  },
  'fan-out': fanOut,
  memory: () =>
    memoryPerObject(async () => {
      const store = createMemoryStore({ history: { events: 1 } });
      await fill(store, OBJECTS);
      return store;
    }),
  'memory of parsed objects': () =>
    memoryPerObject(async () => {
      const objects = new Map<string, unknown>();
      for (let at = 0; at < OBJECTS; at++) {
        objects.set(keyOf(at), JSON.parse(JSON.stringify(objectOf(at))));
      }
      return objects;
    }),
  fill: async () => {
    await using store = openLmdbStore({ path });
    await fill(store, OBJECTS);
    const objects = Array.from({ length: OBJECTS }, (_, at) => JSON.stringify(objectOf(at)));
    writeFileSync(lines, objects.join('\n'), { flush: true });
    return OBJECTS;
  },
  start: () => timeOf(async () => openLmdbStore({ path }).count(TABLE)),
  'start from JSON lines': () =>
    timeOf(async () => {
      const objects = new Map<string, unknown>();
      for await (const line of createInterface(createReadStream(lines))) {
        const object = JSON.parse(line);
        objects.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
      }
      return objects.size;
    }),
};

process.send?.(await TASKS[task as StoreTask]());
