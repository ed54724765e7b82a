import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { get as getSecure } from 'node:https';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { CONFIG_MAPS } from '../http/http-fixture.ts';

const EVENTS = 100_000;
const AT_ONCE = 1_000;
const MIB = 2 ** 20;
/** Far less than the 200 MiB that the events would take, and more than a process at work varies by. */
const MOST_GROWTH = 80 * MIB;

interface Servers {
  readonly plain: string;
  readonly secure: string;
  readonly ca: string;
}

type Watch = (query: string) => Promise<Readable>;

const responseTo = async (get: typeof getPlain | typeof getSecure, url: string, ca: string) => {
  const options = { agent: false, ca } as const;
  const [response] = await once(get(url, options), 'response');
  return response as IncomingMessage;
};

/** The ways in which a watch can reach a server. */
const waysTo = ({ plain, secure, ca }: Servers): { readonly [name: string]: Watch } => {
  const path = (query: string) => `${CONFIG_MAPS}?watch=true&${query}`;
  return {
    'HTTP/1.1': (query) => responseTo(getPlain, plain + path(query), ca),
    'HTTP/1.1 over TLS': (query) => responseTo(getSecure, secure + path(query), ca),
    'HTTP/2 over TLS': async (query) => {
      const session = connect(secure, { ca });
      const stream = session.request({ ':path': path(query) });
      stream.once('close', () => session.close());
      await once(stream, 'response');
      return stream;
    },
  };
};

/** The numbers that the events of a watch carry, and the error that ends it. */
class Count {
  last = 0;
  gaps = 0;
  version = '';
  error: unknown;
  #rest = '';
  #wake = (): void => {};

  read(stream: Readable): Promise<unknown> {
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
      this.#wake();
    });
    return once(stream, 'end');
  }

  async reached(at: number): Promise<void> {
    while (this.last < at) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(line: string): void {
    const { type, object } = JSON.parse(line);
    if (type === 'ERROR') {
      this.error = object.code;
      return;
    }
    const at = Number(object.data.at);
    if (at !== this.last + 1) this.gaps += 1;
    this.last = at;
    this.version = object.metadata.resourceVersion;
  }
}

test(`those who do not read ${EVENTS} events cost little, and nobody else waits for them`, async () => {
  const child = fork(join(import.meta.dirname, 'watched-server.ts'));
  using _ = { [Symbol.dispose]: () => void child.kill() };
  const [servers] = (await once(child, 'message')) as [Servers];
  const ask = async (count: number): Promise<number> => {
    child.send(count);
    const [answer] = await once(child, 'message');
    return answer as number;
  };
  const ways = Object.entries(waysTo(servers));
  const since = 'resourceVersion=1';
  const slow = await Promise.all(ways.map(([, watch]) => watch(since)));
  const quick = ways.map(() => new Count());
  const opened = await Promise.all(ways.map(([, watch]) => watch(since)));
  for (const [at, stream] of opened.entries()) quick[at]!.read(stream).catch(() => {});
  await ask(AT_ONCE);
  const before = await ask(0);
  for (let written = AT_ONCE; written < EVENTS; ) {
    await Promise.all(quick.map((count) => count.reached(written)));
    written = await ask(AT_ONCE);
  }
  await Promise.all(quick.map((count) => count.reached(EVENTS)));
  assert.deepEqual(
    quick.map(({ gaps }) => gaps),
    [0, 0, 0],
    'who reads gets everything',
  );
  const growth = (await ask(0)) - before;
  assert.ok(growth < MOST_GROWTH, `${Math.round(growth / MIB)} MiB wait for those who do not read`);

  for (const [at, [name, watch]] of ways.entries()) {
    const late = new Count();
    await late.read(slow[at]!);
    assert.equal(late.gaps, 0, `${name}: what came has no gap`);
    assert.ok(late.last > 0 && late.last < EVENTS, `${name}: ${late.last} events came`);
    const again = new Count();
    await again.read(await watch(`resourceVersion=${late.version}`));
    assert.equal(again.error, 410, `${name}: it has to begin anew`);
  }
  for (const stream of opened) stream.destroy();
});
