import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeProtobuf } from '../../src/codec/protobuf/decode-protobuf.ts';
import { MalformedBodyError } from '../../src/errors.ts';
import { chunk, envelope, number, varint } from './wire-writer.ts';

const refuses = (body: Buffer, message: RegExp): void => {
  assert.throws(() => decodeProtobuf(body), { name: 'MalformedBodyError', message });
};

const reads = (body: Uint8Array): void => {
  try {
    decodeProtobuf(body);
  } catch (error) {
    assert.ok(error instanceof MalformedBodyError, String(error));
  }
};

test('a body without its mark is refused', () => {
  refuses(Buffer.alloc(0), /expected prefix \[107 56 115 0\]/);
  refuses(Buffer.from('{"kind":"Pod"}'), /expected prefix \[107 56 115 0\]/);
});

test('a kind that is not built in is refused', () => {
  refuses(envelope('batch.volcano.sh/v1alpha1', 'Job'), /no kind "Job" of version .* send JSON/);
  refuses(envelope('v1', '__proto__'), /no kind "__proto__"/);
  refuses(Buffer.from('k8s\0'), /no kind ""/);
});

test('an encoded body is refused', () => {
  const body = Buffer.concat([Buffer.from('k8s\0'), chunk(1, chunk(1, 'v1')), chunk(3, 'gzip')]);
  refuses(body, /unknown encoding "gzip"/);
});

test('what is wrong is told with its place', () => {
  const inSpec = (...fields: readonly Buffer[]) => envelope('v1', 'Pod', chunk(2, ...fields));
  refuses(inSpec(number(2, 1)), /^spec\.containers: .* wire type 0 stands where 2 should/);
  refuses(
    inSpec(chunk(2, Buffer.from([0x0a, 9]))),
    /^spec\.containers\.name: .* ends in the middle/,
  );
  refuses(inSpec(varint((900 << 3) | 3)), /^spec: .* wire type 3 is not in use/);
  refuses(inSpec(Buffer.from([0x02, 0])), /^spec: .* no valid number/);
  refuses(inSpec(Buffer.alloc(11, 0xff)), /^spec: .* more than ten bytes/);
  refuses(
    inSpec(varint((2 << 3) | 2), varint(2n ** 63n)),
    /^spec\.containers: .* ends in the middle/,
  );
  const revision = envelope('apps/v1', 'ControllerRevision', chunk(2, chunk(1, '{"a":')));
  refuses(revision, /^data: unexpected end of JSON input/);
});

const NOT = 28;

test('messages that nest without end are refused', () => {
  let schema = chunk(5, 'object');
  for (let level = 0; level < 1_000; level++) schema = chunk(NOT, schema);
  const version = chunk(7, chunk(4, chunk(1, schema)));
  refuses(
    envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', chunk(2, version)),
    /^spec\.versions\.schema\.openAPIV3Schema\.not\.not\.not\.not\.…: .* nest deeper than 400 levels/,
  );
});

test('a body of very many empty messages is refused', () => {
  const containers = Buffer.alloc(1_200_000);
  for (let at = 0; at < containers.length; at += 2) containers[at] = 0x12;
  refuses(envelope('v1', 'Pod', chunk(2, containers)), /more than 500000 messages/);
});

test('no bytes make the decoder fail in another way', () => {
  const kinds = fc.constantFrom(
    ['v1', 'Pod'],
    ['apps/v1', 'Deployment'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ['v1', 'DeleteOptions'],
    ['resource.k8s.io/v1', 'ResourceSlice'],
  );
  fc.assert(
    fc.property(kinds, fc.uint8Array({ maxLength: 200 }), ([apiVersion = '', kind = ''], bytes) => {
      reads(bytes);
      reads(Buffer.concat([Buffer.from('k8s\0'), bytes]));
      reads(envelope(apiVersion, kind, Buffer.from(bytes)));
    }),
    { numRuns: 500 },
  );
});

test('no change of a good body makes the decoder fail in another way', () => {
  const bodies = readFileSync(new URL('./cases.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => Buffer.from((JSON.parse(line) as { protobuf: string }).protobuf, 'base64'));
  const change = fc.record({ at: fc.nat(), to: fc.nat(255) });
  fc.assert(
    fc.property(
      fc.constantFrom(...bodies),
      fc.array(change, { maxLength: 5 }),
      fc.nat(),
      (body, changes, cut) => {
        const changed = Buffer.from(body);
        for (const { at, to } of changes) changed[at % changed.length] = to;
        reads(changed);
        reads(changed.subarray(0, cut % changed.length));
      },
    ),
    { numRuns: 500 },
  );
});
