import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineKind } from '@perigee/api/kind/define-kind';
import { normalise } from '@perigee/api/kind/normalise';
import { InvalidObjectError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { int32, list, object, string } from '@perigee/schema/structural/builder';
import { optional, withDefault } from '@perigee/schema/structural/schema';

const Host = defineKind({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Host',
  plural: 'hosts',
  scope: 'Cluster',
  doc: 'A computer.',
  spec: object('What it is.', {
    address: optional(string('Where to reach it.')),
    port: withDefault(80, int32('The port that it listens on.')),
    disks: optional(
      list('Its disks.', object('A disk.', { sizeGiB: optional(int32('How much it holds.')) })),
    ),
  }),
  otherSpellings: {
    'spec.disks[].sizeGiB': ['size'],
    'spec.disks': ['volumes'],
    'spec.address': ['adress', 'ip'],
    'spec.port': ['portNumber'],
  },
});

const renamed = (spec: JsonObject, old?: JsonObject): unknown =>
  normalise(Host, { spec }, old && { spec: old }).spec;

const clashes = (spec: JsonObject, old?: JsonObject): readonly string[] => {
  try {
    renamed(spec, old);
    return [];
  } catch (error) {
    assert.ok(error instanceof InvalidObjectError);
    return error.errors.map(({ field, message }) => `${field}: ${message}`);
  }
};

const SAYS = 'is another spelling of';
const KEEP_ONE = 'which is set to something else; keep one';

describe('another spelling', () => {
  it('becomes the canonical one', () => {
    assert.deepEqual(renamed({ adress: '10.0.0.4' }), { address: '10.0.0.4' });
    assert.deepEqual(renamed({ ip: '10.0.0.4' }), { address: '10.0.0.4' });
  });

  it('may stand beside the same value', () => {
    assert.deepEqual(renamed({ address: 'a', adress: 'a', ip: 'a' }), { address: 'a' });
  });

  it('is refused beside another value', () => {
    assert.deepEqual(clashes({ address: 'a', adress: 'b', ip: 'c' }), [
      `spec.adress: Invalid value: "b": ${SAYS} address, ${KEEP_ONE}`,
      `spec.ip: Invalid value: "c": ${SAYS} address, ${KEEP_ONE}`,
    ]);
  });

  it('is refused beside a third spelling that says something else', () => {
    assert.deepEqual(clashes({ adress: 'b', ip: 'c' }), [
      `spec.ip: Invalid value: "c": ${SAYS} address, ${KEEP_ONE}`,
    ]);
  });

  it('wins over the default, which nobody wrote', () => {
    assert.deepEqual(renamed({ port: 80, portNumber: 8080 }), { port: 8080 });
    assert.deepEqual(clashes({ port: 81, portNumber: 8080 }), [
      `spec.portNumber: Invalid value: 8080: ${SAYS} port, ${KEEP_ONE}`,
    ]);
  });

  it('wins over the value that was stored before', () => {
    assert.deepEqual(renamed({ address: 'a', adress: 'b' }, { address: 'a' }), { address: 'b' });
    assert.equal(clashes({ address: 'a', adress: 'b' }, { address: 'c' }).length, 1);
  });

  it('is found in the elements of a list, and its clash is told with the index', () => {
    assert.deepEqual(renamed({ disks: [{ size: 1 }, { sizeGiB: 2 }] }), {
      disks: [{ sizeGiB: 1 }, { sizeGiB: 2 }],
    });
    assert.deepEqual(clashes({ disks: [{ size: 1 }, { size: 1, sizeGiB: 2 }] }), [
      `spec.disks[1].size: Invalid value: 1: ${SAYS} sizeGiB, ${KEEP_ONE}`,
    ]);
  });

  it('is found under a field that had another spelling itself', () => {
    assert.deepEqual(renamed({ volumes: [{ size: 1 }] }), { disks: [{ sizeGiB: 1 }] });
  });

  it('does not trip over values of another shape', () => {
    assert.deepEqual(renamed({ disks: 'many' }), { disks: 'many' });
    assert.deepEqual(renamed({ disks: [null, 'x', [{ size: 1 }]] }), {
      disks: [null, 'x', [{ size: 1 }]],
    });
    assert.equal(normalise(Host, { spec: 'x' }).spec, 'x');
    assert.deepEqual(normalise(Host, {}), {});
  });

  it('leaves the input as it was', () => {
    const spec = { adress: 'a', disks: [{ size: 1 }] };
    renamed(spec);
    assert.deepEqual(spec, { adress: 'a', disks: [{ size: 1 }] });
  });

  it('is part of the schema of input, and not of the canonical one', () => {
    const names = (schema: typeof Host.schema) =>
      Object.keys(schema.properties?.spec?.properties ?? {});
    assert.deepEqual(names(Host.schema), ['address', 'port', 'disks']);
    assert.deepEqual(names(Host.inputSchema), [
      'address',
      'port',
      'disks',
      'volumes',
      'adress',
      'ip',
      'portNumber',
    ]);
  });
});
