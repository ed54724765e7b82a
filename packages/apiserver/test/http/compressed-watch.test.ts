import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createGunzip } from 'node:zlib';
import { realClock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { at, ConfigMap } from '../registry/registry-fixture.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

const CROWD = 20;

interface Watch {
  readonly response: IncomingMessage;
  /** How many bytes came. */
  readonly received: () => number;
  /** The next so many events, as they are told. */
  readonly next: (count: number) => Promise<readonly string[]>;
  /** The rest, when the server has ended it. */
  readonly rest: () => Promise<readonly string[]>;
}

const nameIn = (line: string): string => /"name":"([^"]*)"/.exec(line)?.[1] ?? line;

const openWatch = async (url: string, acceptEncoding?: string): Promise<Watch> => {
  const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).once('error', reject);
  });
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const isZipped = response.headers['content-encoding'] === 'gzip';
  const body = isZipped ? response.pipe(createGunzip()) : response;
  const lines = createInterface(body)[Symbol.asyncIterator]();
  const next = async (count: number): Promise<readonly string[]> => {
    const taken: string[] = [];
    while (taken.length < count) taken.push(nameIn((await lines.next()).value ?? 'the end'));
    return taken;
  };
  const rest = async (): Promise<readonly string[]> => {
    const taken: string[] = [];
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      taken.push(nameIn(line.value));
    }
    return taken;
  };
  return { response, received: () => bytes, next, rest };
};

const setUp = async (given: Parameters<typeof serveApi>[0] = {}) => {
  const api = await serveApi(given);
  const watches: Watch[] = [];
  const watch = async (query: string, acceptEncoding?: string, path = CONFIG_MAPS) => {
    const url = `${api.server.url}${path}?watch=true&resourceVersion=1&${query}`;
    const opened = await openWatch(url, acceptEncoding);
    watches.push(opened);
    return opened;
  };
  const crowd = (query: string, acceptEncoding?: string) =>
    Promise.all(Array.from({ length: CROWD }, () => watch(query, acceptEncoding)));
  const data = { text: 'words that are told again and again, '.repeat(40) };
  const make = (name: string, labels: { [name: string]: string } = {}) =>
    api.client.create(ConfigMap, { metadata: { ...at(name), labels }, data } as never);
  return {
    ...api,
    watch,
    crowd,
    make,
    [Symbol.asyncDispose]: async () => {
      for (const { response } of watches) response.destroy();
      await api[Symbol.asyncDispose]();
    },
  };
};

test('who reads gzip is told the same as who does not, and each event at once', async () => {
  await using api = await setUp();
  const plain = await api.watch('');
  const zipped = await api.watch('', 'gzip');
  assert.equal(plain.response.headers['content-encoding'], undefined);
  assert.equal(zipped.response.headers['content-encoding'], 'gzip');
  for (const name of ['x', 'y', 'z']) {
    await api.make(name);
    assert.deepEqual(await plain.next(1), [name]);
    assert.deepEqual(await zipped.next(1), [name]);
  }
});

test('a crowd is sent compressed events, and whoever does not read gzip in it plain ones', async () => {
  await using api = await setUp();
  const plain = await api.watch('');
  const crowd = await api.crowd('', 'gzip, deflate');
  for (const name of ['first', 'second', 'third']) {
    await api.make(name);
    for (const watch of [plain, ...crowd]) assert.deepEqual(await watch.next(1), [name]);
    const sizes = crowd.map((watch) => watch.received());
    assert.ok(Math.max(...sizes) < plain.received() / 2, `${sizes} beside ${plain.received()}`);
  }
});

test('each of many who watch different things is sent its own, not compressed for it alone', async () => {
  await using api = await setUp();
  const watches = await Promise.all(
    Array.from({ length: CROWD }, (_, n) => api.watch(`labelSelector=of%3Dn${n}`, 'gzip')),
  );
  for (const round of ['first', 'second']) {
    for (const [n, watch] of watches.entries()) {
      await api.make(`${round}-${n}`, { of: `n${n}` });
      assert.deepEqual(await watch.next(1), [`${round}-${n}`]);
    }
  }
  const sizes = watches.map((watch) => watch.received());
  assert.ok(Math.min(...sizes) > 2 * 1400, `${sizes}`);
});

test('a compressed watch ends as a whole stream, also one that told nothing', async () => {
  await using api = await setUp();
  const crowd = await api.crowd('timeoutSeconds=1', 'gzip');
  const silent = await api.watch('timeoutSeconds=1&labelSelector=none', 'gzip');
  for (const name of ['x', 'y', 'z']) {
    await api.make(name);
    for (const watch of crowd) assert.deepEqual(await watch.next(1), [name]);
  }
  for (const watch of [silent, ...crowd]) assert.deepEqual(await watch.rest(), []);
});

test('an error is told in a compressed watch, too', async () => {
  await using api = await setUp({ store: { history: { events: 2 } } });
  for (const name of ['u', 'v', 'w', 'x', 'y']) await api.make(name);
  const watch = await api.watch('', 'gzip');
  assert.equal(watch.response.headers['content-encoding'], 'gzip');
  const [told = ''] = await watch.rest();
  assert.match(told, /"type":"ERROR".*"reason":"Expired"/);
});

test('secrets are never compressed together with what others wrote', async () => {
  await using server = await startEmbeddedServer({ clock: realClock });
  const query = 'watch=true&timeoutSeconds=1';
  const codingOf = async (plural: string): Promise<string | undefined> => {
    const { response } = await openWatch(`${server.url}/api/v1/${plural}?${query}`, 'gzip');
    response.destroy();
    return response.headers['content-encoding'];
  };
  assert.equal(await codingOf('secrets'), undefined);
  assert.equal(await codingOf('configmaps'), 'gzip');
});

test('codings that a client refuses or does not know are not used', async () => {
  await using api = await setUp();
  for (const coding of ['identity', 'gzip;q=0', 'gzip; q=0.0', 'br, deflate', 'xgzip']) {
    const { response } = await api.watch('', coding);
    assert.equal(response.headers['content-encoding'], undefined, coding);
  }
  for (const coding of ['gzip;q=0.5', 'br, gzip', 'GZIP']) {
    const { response } = await api.watch('', coding);
    assert.equal(response.headers['content-encoding'], 'gzip', coding);
  }
});
