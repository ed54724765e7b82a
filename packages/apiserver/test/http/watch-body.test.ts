import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { gzipBody } from '../../src/http/watch-body.ts';

const LINE = Buffer.from('{"type":"ADDED"}\n');

test('what is not sent because the watch is to end is not counted at its end', async () => {
  for (const told of [[], [LINE], [LINE, LINE]]) {
    const stream = new PassThrough();
    const ending = new AbortController();
    const body = gzipBody(stream, ending.signal);
    for (const lines of told) await body.write(lines);
    ending.abort();
    await body.write(LINE);
    body.end();
    assert.ok(gunzipSync(await buffer(stream)).equals(Buffer.concat(told)));
  }
});
