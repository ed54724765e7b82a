import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import type { JsonObject } from '@perigee/schema/json';
import { startServer } from '../embedded/embedded-fixture.ts';
import { temporaryFolder } from '../store/engines.ts';
import { heldStore } from '../store/held-journal.ts';

/** Faults are what these tests are about. */
const silent = createLogger({ clock: realClock, level: 'error', write: () => {} });
const MAPS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';
const MERGE = 'application/merge-patch+json';

type Api = Awaited<ReturnType<typeof startServer>>;
type Request = readonly [method: string, path: string, body?: JsonObject, contentType?: string];

const mapOf = (value: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', ...metadata },
  data: { value },
});

const serviceOf = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { clusterIP: '10.96.0.77', ports: [{ port: 80 }] },
});

const dataValue = ({ body }: { readonly body: JsonObject }): unknown =>
  (body.data as JsonObject | undefined)?.value;

/** Enough answers of the server for it to have answered what came before, if it was to answer that. */
const letItAnswer = async (api: Api): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await api.send('GET', '/version');
};

interface Case {
  readonly name: string;
  /** Objects that are there before; none by default. */
  readonly before?: JsonObject;
  readonly pending: Request;
  readonly told: (present: JsonObject) => Request;
  readonly code: number;
  /** The state that a client finds after it was answered. */
  readonly seen: readonly [path: string, code: number, value?: string];
  /** The answer to the same when the write that is on its way is lost. */
  readonly codeWhenLost: number;
}

const cases: readonly Case[] = [
  {
    name: 'that a name is taken',
    pending: ['POST', MAPS, mapOf('first')],
    told: () => ['POST', MAPS, mapOf('second')],
    code: 409,
    seen: [`${MAPS}/x`, 200, 'first'],
    codeWhenLost: 201,
  },
  {
    name: 'that a name is taken, in a dry run',
    pending: ['POST', MAPS, mapOf('first')],
    told: () => ['POST', `${MAPS}?dryRun=All`, mapOf('second')],
    code: 409,
    seen: [`${MAPS}/x`, 200, 'first'],
    codeWhenLost: 201,
  },
  {
    name: 'that an object has changed',
    before: mapOf('old'),
    pending: ['PATCH', `${MAPS}/x`, { data: { value: 'new' } }, MERGE],
    told: (present) => ['PUT', `${MAPS}/x`, { ...present, data: { value: 'late' } }],
    code: 409,
    seen: [`${MAPS}/x`, 200, 'new'],
    codeWhenLost: 200,
  },
  {
    name: 'that an object is gone',
    before: mapOf('old'),
    pending: ['DELETE', `${MAPS}/x`],
    told: () => ['PATCH', `${MAPS}/x`, { data: { value: 'late' } }, MERGE],
    code: 404,
    seen: [`${MAPS}/x`, 404],
    codeWhenLost: 200,
  },
  {
    name: 'that a precondition does not hold',
    before: mapOf('old'),
    pending: ['PATCH', `${MAPS}/x`, { data: { value: 'new' } }, MERGE],
    told: ({ metadata }) => [
      'DELETE',
      `${MAPS}/x`,
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions: { resourceVersion: (metadata as JsonObject).resourceVersion as string },
      },
    ],
    code: 409,
    seen: [`${MAPS}/x`, 200, 'new'],
    codeWhenLost: 200,
  },
  {
    name: 'that nothing is to change',
    before: mapOf('old'),
    pending: ['PATCH', `${MAPS}/x`, { data: { value: 'new' } }, MERGE],
    told: () => ['PATCH', `${MAPS}/x`, { data: { value: 'new' } }, MERGE],
    code: 200,
    seen: [`${MAPS}/x`, 200, 'new'],
    codeWhenLost: 200,
  },
  {
    name: 'that an address is taken',
    pending: ['POST', SERVICES, serviceOf('first')],
    told: () => ['POST', SERVICES, serviceOf('second')],
    code: 422,
    seen: [`${SERVICES}/first`, 200],
    codeWhenLost: 201,
  },
];

for (const { name, before, pending, told, code, seen, codeWhenLost } of cases) {
  const prepared = async () => {
    const { store, hold } = heldStore();
    const api = await startServer({ store, logger: silent, clusterControllers: false });
    const present = before === undefined ? {} : (await api.send('POST', MAPS, before)).body;
    const flush = hold('root//configmaps', 'root//services');
    const writing = api.send(...pending);
    await flush.began;
    return { api, flush, writing, request: told(present) };
  };

  test(`${name} is told when a reader can see it`, async () => {
    const { api, flush, writing, request } = await prepared();
    await using _ = api;
    const [path, seenCode, value] = seen;
    const answered = api.send(...request).then(async (answer) => ({
      code: answer.code,
      look: await api.send('GET', path),
    }));
    await letItAnswer(api);
    flush.end();
    const { code: answeredCode, look } = await answered;
    assert.deepEqual([answeredCode, look.code, dataValue(look)], [code, seenCode, value]);
    assert.ok((await writing).code < 300);
  });

  test(`${name} is judged again when what says so is lost`, async () => {
    const { api, flush, writing, request } = await prepared();
    await using _ = api;
    const answered = api.send(...request);
    await letItAnswer(api);
    flush.end(new Error('no room'));
    assert.equal((await answered).code, codeWhenLost);
    assert.equal((await writing).code, 500);
  });
}

test('of many who create the same at once, one does, and all others can read it', async () => {
  await using api = await startServer({ dataFolder: join(temporaryFolder(), 'data') });
  for (let round = 0; round < 10; round++) {
    const metadata = { name: `x${round}` };
    const outcomes = await Promise.all(
      Array.from({ length: 14 }, async (_, n) => {
        const { code } = await api.send('POST', MAPS, mapOf(`${n}`, metadata));
        return `${code} ${(await api.send('GET', `${MAPS}/x${round}`)).code}`;
      }),
    );
    const told = Map.groupBy(outcomes, (outcome) => outcome);
    assert.deepEqual([...told.keys()].sort(), ['201 200', '409 200']);
    assert.equal(told.get('201 200')?.length, 1);
  }
});
