import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { CRDS, conditionsOf, startServer } from './embedded-fixture.ts';

const GROUP = 'ver.example.com';
const CRD = `${CRDS}/vs.${GROUP}`;
const text = { type: 'string' };

const version = (name: string, spec: JsonObject, rest: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: false,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: spec } },
    },
  },
  ...rest,
});

const column = (name: string, jsonPath: string): JsonObject => ({ name, type: 'string', jsonPath });

const VERSIONS: readonly JsonObject[] = [
  version(
    'v1alpha1',
    { color: text, old: text },
    { deprecated: true, additionalPrinterColumns: [column('Old', '.spec.old')] },
  ),
  version(
    'v1beta1',
    { color: text },
    {
      deprecated: true,
      deprecationWarning: 'v1beta1 goes: "soon"',
      selectableFields: [{ jsonPath: '.spec.color' }],
    },
  ),
  version(
    'v1',
    { color: text, size: { type: 'integer' }, on: { type: 'boolean' } },
    {
      storage: true,
      selectableFields: [{ jsonPath: '.spec.size' }, { jsonPath: '.spec.on' }],
      additionalPrinterColumns: [column('Size', '.spec.size'), column('Color', '.spec.color')],
    },
  ),
  version('v2', { color: text }, { served: false }),
];

const setUp = async () => {
  const server = await startServer();
  const at = (name: string, rest = '') => `/apis/${GROUP}/${name}/namespaces/default/vs${rest}`;
  await server.send('POST', CRDS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `vs.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'vs', singular: 'v', kind: 'V', listKind: 'VList' },
      versions: VERSIONS,
    },
  });
  await server.until(CRD, ({ body }) => conditionsOf(body).includes('Established=True'));
  const put = async (name: string, spec: JsonObject) => {
    const type = { apiVersion: `${GROUP}/v1`, kind: 'V' };
    const { code } = await server.send('POST', at('v1'), { ...type, metadata: { name }, spec });
    assert.equal(code, 201);
  };
  /** Replaces the versions by others. */
  const change = async (versions: readonly JsonObject[]) => {
    const body = { spec: { versions } };
    return server.send('PATCH', CRD, body, 'application/merge-patch+json');
  };
  const storedIn = (name: string): readonly JsonObject[] =>
    VERSIONS.map((each) => ({ ...each, storage: each.name === name }));
  return { ...server, at, put, change, storedIn };
};

const namesIn = ({ body }: { readonly body: JsonObject }) =>
  (body.items as readonly { readonly metadata: { readonly name: string } }[]).map(
    ({ metadata }) => metadata.name,
  );

/** All of this as kube-apiserver 1.36.3 does it. */
test('versions differ in what they serve', async (t) => {
  await using f = await setUp();
  await f.put('a', { color: 'red', size: 1, on: true });
  await f.put('b', { color: 'blue', size: 2 });

  await t.test('who uses a deprecated version is warned, and told which one to use', async () => {
    const warningsOf = async (path: string) => (await fetch(f.url + path)).headers.get('warning');
    assert.equal(
      await warningsOf(f.at('v1alpha1')),
      '299 - "ver.example.com/v1alpha1 V is deprecated; use ver.example.com/v1 V"',
    );
    assert.equal(await warningsOf(f.at('v1beta1', '/a')), '299 - "v1beta1 goes: \\"soon\\""');
    assert.equal(await warningsOf(f.at('v1')), null);
  });

  await t.test('a version that is not served is not there', async () => {
    assert.equal((await fetch(f.url + f.at('v2'))).status, 404);
  });

  await t.test('fields are selected where the version says so', async () => {
    const select = (name: string, selector: string) =>
      f.send('GET', f.at(name, `?fieldSelector=${encodeURIComponent(selector)}`));
    assert.deepEqual(namesIn(await select('v1', 'spec.size=1')), ['a']);
    assert.deepEqual(namesIn(await select('v1', 'spec.on!=true')), ['b']);
    assert.deepEqual(namesIn(await select('v1beta1', 'spec.color=blue')), ['b']);
    const refused = await select('v1', 'spec.color=blue');
    assert.deepEqual(
      [refused.code, refused.body.message],
      [400, 'field label not supported: spec.color'],
    );
  });

  await t.test('each version has its columns', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const columnsOf = async (name: string) => {
      const reply = await fetch(f.url + f.at(name), { headers: { accept } });
      const { columnDefinitions } = (await reply.json()) as {
        readonly columnDefinitions: readonly { readonly name: string }[];
      };
      return columnDefinitions.map((definition) => definition.name);
    };
    assert.deepEqual(await columnsOf('v1'), ['Name', 'Size', 'Color']);
    assert.deepEqual(await columnsOf('v1alpha1'), ['Name', 'Old']);
    assert.deepEqual(await columnsOf('v1beta1'), ['Name', 'Age']);
  });
});

test('a version in which objects may be stored cannot go', async () => {
  await using f = await setUp();
  const changed = await f.change(f.storedIn('v1beta1'));
  assert.deepEqual((changed.body.status as JsonObject).storedVersions, ['v1', 'v1beta1']);
  const refused = await f.change(f.storedIn('v1beta1').filter(({ name }) => name !== 'v1'));
  assert.equal(refused.code, 422);
  assert.match(
    String(refused.body.message),
    /status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was previously a storage version/,
  );
});

/** The lines of a watch as they come. */
async function* watchLines(url: string): AsyncGenerator<JsonObject, void, undefined> {
  const { body } = await fetch(url);
  assert.ok(body);
  let rest = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

test('a watch ends when the schema changes, and the next one shows objects by the new schema', async () => {
  await using f = await setUp();
  const { body } = await f.send('GET', f.at('v1'));
  const { resourceVersion } = body.metadata as JsonObject;
  const path = f.at('v1', `?watch=1&resourceVersion=${resourceVersion}`);
  const before = watchLines(f.url + path);
  const first = before.next();
  await f.put('a', { size: 1 });
  assert.equal((await first).value?.type, 'ADDED');
  const ended = before.next();
  const next = VERSIONS.map((each) =>
    each.name === 'v1'
      ? { ...version('v1', { size: { type: 'integer' }, fresh: text }), storage: true }
      : each,
  );
  assert.equal((await f.change(next)).code, 200);
  assert.equal((await ended).done, true);
  await f.put('b', { fresh: 'yes' });
  const after = watchLines(f.url + path);
  await after.next();
  const { value } = await after.next();
  assert.ok(value);
  assert.deepEqual((value.object as JsonObject).spec, { fresh: 'yes' });
  await after.return();
});

test('the watches of a definition that goes end after its objects', async () => {
  await using f = await setUp();
  await f.put('a', { size: 1 });
  const lines = watchLines(f.url + f.at('v1alpha1', '?watch=1'));
  assert.equal((await lines.next()).value?.type, 'ADDED');
  await f.send('DELETE', CRD);
  const types: unknown[] = [];
  for await (const { type } of lines) types.push(type);
  assert.equal(types.at(-1), 'DELETED');
  assert.equal((await fetch(f.url + f.at('v1'))).status, 404);
});
