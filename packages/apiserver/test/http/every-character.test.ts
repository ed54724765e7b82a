import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

/** One of each length in UTF-8, and what JSON writes in another way. */
const TEXT = 'aü€😀 "\\ \u0000 \u2028 \ufffd';
/** Short answers go out in another way than long ones. */
const SIZES = [1, 3_000];

test('every character comes back as it was sent', async () => {
  await using api = await serveApi();
  for (const size of SIZES) {
    const name = `map-${size}`;
    const data = { text: TEXT.repeat(size) };
    const created = await api.send('POST', CONFIG_MAPS, { metadata: { name }, data });
    assert.deepEqual([created.code, created.body.data], [201, data]);
    const changed = { ...created.body, data: { ...data, more: TEXT } };
    const replaced = await api.send('PUT', `${CONFIG_MAPS}/${name}`, changed);
    assert.deepEqual(replaced.body.data, changed.data);
    const read = await api.call('GET', `${CONFIG_MAPS}/${name}`);
    assert.equal(read.text, replaced.text);
    assert.equal(read.text, `${JSON.stringify(read.body)}\n`);
    assert.equal(Number(read.headers.get('content-length')), Buffer.byteLength(read.text));
  }
});

test('the same goes for HTTP/2', async () => {
  const authority = createAuthority();
  const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });
  await using api = await serveApi({ server: { tls } });
  const session = connect(api.server.url, { ca: authority.cert });
  const ask = async (headers: object, body?: object): Promise<{ readonly data?: object }> => {
    const stream = session.request({ ...headers }, { endStream: body === undefined });
    if (body !== undefined) stream.end(JSON.stringify(body));
    let text = '';
    stream.setEncoding('utf8');
    for await (const part of stream) text += part;
    return JSON.parse(text);
  };
  const data = { text: TEXT };
  const post = { ':method': 'POST', ':path': CONFIG_MAPS, 'content-type': 'application/json' };
  assert.deepEqual((await ask(post, { metadata: { name: 'x' }, data })).data, data);
  assert.deepEqual((await ask({ ':path': `${CONFIG_MAPS}/x` })).data, data);
  session.close();
});
