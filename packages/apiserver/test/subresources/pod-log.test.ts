import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { describe, it } from 'node:test';
import { createHttpClient } from '@perigee/kube/client/http-client';
import type { PodLogRequest, ReadPodLog } from '@perigee/kube/client/pod-logs';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { JsonObject } from '@perigee/schema/json';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A member with a pod on a node, whose containers are as the status says. */
const startMember = async (read: ReadPodLog, status: JsonObject = {}) => {
  const clock = new VirtualClock();
  const server = await startEmbeddedServer({ clock });
  const { url, registry, client } = await server.openCluster('m');
  registry.podLogs?.serve(read);
  const call = (path: string, init: RequestInit = {}) => fetch(url + path, init);
  const send = async (method: string, path: string, body: JsonObject, type = JSON_TYPE) => {
    const answer = await call(path, { method, headers: type, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, text);
  };
  const containers = ['a', 'b'].map((name) => ({ name, image: 'x' }));
  const initContainers = [{ name: 'i', image: 'x' }];
  const metadata = { name: 'p' };
  await send('POST', PODS, { metadata, spec: { containers, initContainers, nodeName: 'n' } });
  await send('POST', PODS, {
    metadata: { name: 'q' },
    spec: { containers: [{ name: 'a', image: 'x' }] },
  });
  const merge = { 'content-type': 'application/merge-patch+json' };
  await send('PATCH', `${PODS}/p/status`, { status }, merge);
  return {
    clock,
    url,
    client,
    log: (query: string, pod = 'p') => call(`${PODS}/${pod}/log${query}`),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

async function* nothing(): AsyncGenerator<Buffer> {}

const STATUS: JsonObject = {
  initContainerStatuses: [
    {
      name: 'i',
      state: { terminated: { exitCode: 0, containerID: 'x://done' } },
      containerID: 'x://done',
    },
  ],
  containerStatuses: [
    {
      name: 'a',
      state: { running: {} },
      containerID: 'x://second',
      lastState: { terminated: { exitCode: 1, containerID: 'x://first' } },
    },
    { name: 'b', state: { waiting: { reason: 'ContainerCreating' } } },
  ],
} as JsonObject;

describe('the log of a pod', () => {
  it('is read by clients, over HTTP and in the process alike', async () => {
    const asked: (readonly [string, number | undefined, number | undefined])[] = [];
    await using member = await startMember(async function* (request) {
      asked.push([request.containerID, request.tailLines, request.limitBytes]);
      yield Buffer.from('first\n');
      yield Buffer.from('last\n');
    }, STATUS);
    const { clock, url, client } = member;
    await using http = createHttpClient({ server: url }, { clock });
    const pod = { namespace: 'default', name: 'p' };
    for (const one of [http, client]) {
      const options = { container: 'a', tailLines: 2, limitBytes: 100 };
      assert.equal(await one.podLog?.(pod, options), 'first\nlast\n');
      assert.equal(await one.podLog?.({ ...pod, name: 'q' }), '', 'nobody has begun with it');
      await assert.rejects(async () => one.podLog?.(pod), /a container name must be specified/);
      await assert.rejects(async () => one.podLog?.(pod, { container: 'b' }), /waiting to start/);
    }
    assert.deepEqual(asked, [
      ['x://second', 2, 100],
      ['x://second', 2, 100],
    ]);
  });

  it('is asked for as the client wants it', async () => {
    const asked: PodLogRequest[] = [];
    await using member = await startMember((request) => {
      asked.push(request);
      return nothing();
    }, STATUS);
    const query = 'container=a&follow=true&timestamps=1&tailLines=5&limitBytes=100&sinceSeconds=60';
    assert.equal((await member.log(`?${query}`)).headers.get('content-type'), 'text/plain');
    await member.log('?container=a&previous=true');
    await member.log('?container=i&sinceTime=2026-01-01T00:00:00Z');
    const [first, second, third] = asked.map(({ uid, signal, ...rest }) => {
      assert.match(uid, /^[0-9a-f-]{36}$/);
      return rest;
    });
    const usual = { namespace: 'default', name: 'p', follow: false, timestamps: false };
    assert.deepEqual(first, {
      ...usual,
      container: 'a',
      containerID: 'x://second',
      follow: true,
      timestamps: true,
      tailLines: 5,
      limitBytes: 100,
      since: member.clock.now() - 60_000,
    });
    assert.deepEqual(second, { ...usual, container: 'a', containerID: 'x://first' });
    const since = Date.UTC(2026, 0, 1);
    assert.deepEqual(third, { ...usual, container: 'i', containerID: 'x://done', since });
  });

  const refusals: readonly (readonly [string, number, string])[] = [
    ['', 400, 'a container name must be specified for pod p, choose one of: [i a b]'],
    ['?container=zz', 400, 'container zz is not valid for pod p'],
    ['?container=b', 400, 'container "b" in pod "p" is waiting to start: ContainerCreating'],
    ['?container=b&previous=1', 400, 'previous terminated container "b" in pod "p" not found'],
    ['?container=a&tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      '?container=a&tailLines=-1',
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      '?container=a&sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
      422,
      'PodLogOptions "p" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
  ];
  for (const [query, code, message] of refusals) {
    it(`${query || 'without a container'} is refused as Kubernetes does`, async () => {
      await using member = await startMember(nothing, STATUS);
      const answer = await member.log(query);
      assert.equal(answer.status, code);
      assert.equal(((await answer.json()) as JsonObject).message, message);
    });
  }

  it('is empty before the pod has a node, and not there without a pod', async () => {
    await using member = await startMember(nothing, STATUS);
    assert.equal((await member.log('', 'q')).status, 204);
    const answer = await member.log('', 'none');
    assert.equal(answer.status, 404);
    assert.equal(((await answer.json()) as JsonObject).message, 'pods "none" not found');
  });

  it('comes as it is written, for longer than other requests may take', async () => {
    const more = Promise.withResolvers<void>();
    await using member = await startMember(async function* () {
      yield Buffer.from('one\n');
      await more.promise;
      yield Buffer.from('two\n');
    }, STATUS);
    const { body } = await member.log('?container=a&follow=true');
    assert.ok(body);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, 'one\n');
    await member.clock.advance(600_000);
    more.resolve();
    assert.equal((await reader.read()).value, 'two\n');
    assert.equal((await reader.read()).done, true);
  });

  it('is read no faster than the client takes it, and no longer', async () => {
    const ended = Promise.withResolvers<number>();
    await using member = await startMember(async function* ({ signal }) {
      let count = 0;
      try {
        while (!signal.aborted && count < 10_000) {
          count += 1;
          yield Buffer.alloc(65_536);
        }
      } finally {
        ended.resolve(count);
      }
    }, STATUS);
    const asking = get(`${member.url}${PODS}/p/log?container=a`, { agent: false });
    const [answer] = await once(asking, 'response');
    await once(answer, 'readable');
    asking.destroy();
    assert.ok((await ended.promise) < 10_000);
  });

  it('is not there where nobody runs pods', async () => {
    await using server = await startEmbeddedServer({ clock: new VirtualClock() });
    assert.equal((await fetch(`${server.url}${PODS}/p/log`)).status, 404);
  });
});
