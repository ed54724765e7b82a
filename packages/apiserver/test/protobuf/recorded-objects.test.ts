import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { decodeProtobuf } from '../../src/codec/protobuf/decode-protobuf.ts';

interface Recorded {
  readonly protobuf: string;
  readonly json: JsonObject;
}

/** Objects as a kube-apiserver of v1.36 sent them in both media types. */
const recorded = readFileSync(new URL('./cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

for (const [index, { protobuf, json }] of recorded.entries()) {
  const { kind, apiVersion } = json;
  test(`a ${kind} of ${apiVersion} reads as the same JSON, in the same order (${index})`, () => {
    const decoded = decodeProtobuf(Buffer.from(protobuf, 'base64'));
    assert.deepEqual(decoded, json);
    assert.equal(JSON.stringify(decoded), JSON.stringify(json));
  });
}

test('the recorded objects are of many kinds', () => {
  assert.ok(new Set(recorded.map(({ json }) => `${json.apiVersion}/${json.kind}`)).size >= 40);
});
