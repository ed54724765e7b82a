import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CRDS, conditionsOf, startServer } from './embedded-fixture.ts';

const MOST = '9223372036854775807';
const ODD = '9007199254740993';
const PATH = '/apis/int64.example.com/v1/namespaces/default/amounts';

const version = {
  name: 'v1',
  served: true,
  storage: true,
  additionalPrinterColumns: [{ name: 'Number', type: 'integer', jsonPath: '.spec.number' }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          'x-kubernetes-validations': [
            { rule: 'self.number != 9223372036854775806', message: 'not that one' },
          ],
          properties: {
            number: { type: 'integer' },
            small: { type: 'integer', maximum: 100 },
          },
        },
      },
    },
  },
};

const setUp = async (dataFolder: string) => {
  const server = await startServer({ dataFolder });
  const text = async (
    method: string,
    path: string,
    body?: string,
    headers: { readonly [name: string]: string } = {},
  ): Promise<string> => {
    const response = await fetch(server.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return response.text();
  };
  return { ...server, text, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

const amount = (name: string, spec: string): string =>
  `{"apiVersion":"int64.example.com/v1","kind":"Amount","metadata":{"name":"${name}"},"spec":${spec}}`;

test('whole numbers of 64 bits stay what they are on all ways in and out', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-numbers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  {
    await using server = await setUp(folder);
    const { text, send, until } = server;
    await send('POST', CRDS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'amounts.int64.example.com' },
      spec: {
        group: 'int64.example.com',
        scope: 'Namespaced',
        names: { plural: 'amounts', kind: 'Amount' },
        versions: [version],
      },
    });
    await until(`${CRDS}/amounts.int64.example.com`, ({ body }) =>
      conditionsOf(body).includes('Established=True'),
    );

    const created = await text('POST', PATH, amount('one', `{"number":${MOST}}`));
    assert.match(created, new RegExp(`"spec":\\{"number":${MOST}\\}`));
    const { resourceVersion } = JSON.parse(created).metadata;

    const merge = { 'content-type': 'application/merge-patch+json' };
    await text('PATCH', `${PATH}/one`, `{"spec":{"odd":${ODD}}}`, merge);
    const operations = `[{"op":"test","path":"/spec/number","value":${MOST}},{"op":"copy","from":"/spec/odd","path":"/spec/copy"}]`;
    const json = { 'content-type': 'application/json-patch+json' };
    await text('PATCH', `${PATH}/one`, operations, json);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const config = amount('one', `{"number":${MOST},"applied":-${ODD}}`);
    const applied = await text('PATCH', `${PATH}/one?fieldManager=me&force=true`, config, apply);
    const spec = `"spec":{"number":${MOST},"odd":${ODD},"copy":${ODD},"applied":-${ODD}}`;
    assert.ok(applied.includes(spec), applied);

    assert.ok((await text('GET', PATH)).includes(spec));
    const query = `?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`;
    assert.ok((await text('GET', PATH + query)).includes(spec));
    const table = await text('GET', PATH, undefined, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    assert.match(table, new RegExp(`"cells":\\["one",${MOST}\\]`));

    const refused = async (given: string) =>
      JSON.parse(await text('POST', PATH, amount('two', given))).message;
    assert.match(await refused('{"number":9223372036854775806}'), /not that one/);
    assert.match(await refused(`{"number":1,"small":${ODD}}`), new RegExp(`value: ${ODD}: .* 100`));
    assert.match(await refused('{"number":9223372036854775808}'), /must be of type integer/);
  }
  await using again = await setUp(folder);
  const { body } = await again.until(`${PATH}/one`, ({ code }) => code === 200);
  assert.ok(body.spec);
  assert.match(await again.text('GET', `${PATH}/one`), new RegExp(`"number":${MOST}.*:-${ODD}`));
  const replaced = (await again.text('GET', `${PATH}/one`)).replace(`"copy":${ODD},`, '');
  assert.match(await again.text('PUT', `${PATH}/one`, replaced), new RegExp(`"odd":${ODD}`));
});
