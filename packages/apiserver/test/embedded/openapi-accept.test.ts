import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './embedded-fixture.ts';

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

test('whoever takes OpenAPI in protobuf only is told that there is none', async () => {
  await using api = await startServer();
  const ask = (accept: string) => fetch(`${api.url}/openapi/v2`, { headers: { accept } });
  const refused = await ask(PROTOBUF);
  assert.equal(refused.status, 406);
  assert.match(((await refused.json()) as { message: string }).message, /application\/json/);
  for (const accept of [`${PROTOBUF},application/json`, 'application/json', '*/*']) {
    const answer = await ask(accept);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(((await answer.json()) as { swagger: string }).swagger, '2.0');
  }
});
