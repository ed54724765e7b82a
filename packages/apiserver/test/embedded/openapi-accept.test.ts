import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './embedded-fixture.ts';

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The Accept header of kubectl. */
const OLD_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

test('a description of the API comes in the form that is asked for first', async () => {
  await using api = await startServer();
  const ask = (accept: string) => fetch(`${api.url}/openapi/v2`, { headers: { accept } });
  for (const accept of ['application/json', '*/*', `application/json, ${PROTOBUF}`]) {
    const answer = await ask(accept);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(((await answer.json()) as { swagger: string }).swagger, '2.0');
  }
  for (const accept of [PROTOBUF, OLD_PROTOBUF, `${OLD_PROTOBUF},application/json`]) {
    const answer = await ask(accept);
    assert.equal(answer.headers.get('content-type'), PROTOBUF);
    const bytes = Buffer.from(await answer.arrayBuffer());
    // The first field is the version of OpenAPI.
    assert.equal(bytes.subarray(0, 5).toString('latin1'), '\x0a\x032.0');
    const known = { accept, 'if-none-match': answer.headers.get('etag') as string };
    const again = await fetch(`${api.url}/openapi/v2`, { headers: known });
    assert.equal(again.status, 304);
  }
});

test('whoever takes no form of OpenAPI that there is gets told which there are', async () => {
  await using api = await startServer();
  const ask = (path: string, accept: string) => fetch(api.url + path, { headers: { accept } });
  for (const [path, accept, told] of [
    ['/openapi/v2', 'text/html', /application\/json, .*proto-openapi.spec.v2/],
    ['/openapi/v3', PROTOBUF, /application\/json$/],
    ['/openapi/v3/api/v1', OLD_PROTOBUF, /application\/json$/],
  ] as const) {
    const refused = await ask(path, accept);
    assert.equal(refused.status, 406);
    assert.match(((await refused.json()) as { message: string }).message, told);
  }
});
