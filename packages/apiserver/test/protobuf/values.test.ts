import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtobuf } from '../../src/codec/protobuf/decode-protobuf.ts';
import { chunk, envelope, number } from './wire-writer.ts';

const MINIMAL_DEPLOYMENT = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: {},
  spec: {
    selector: null,
    template: { metadata: {}, spec: { containers: null } },
    strategy: {},
  },
  status: {},
};

test('what Go always writes is there, even in an empty message', () => {
  assert.deepEqual(decodeProtobuf(envelope('apps/v1', 'Deployment')), MINIMAL_DEPLOYMENT);
});

test('a pointer to zero stays, a plain zero is left out', () => {
  const body = envelope('apps/v1', 'Deployment', chunk(2, number(1, 0), number(5, 0)));
  assert.deepEqual(decodeProtobuf(body), {
    ...MINIMAL_DEPLOYMENT,
    spec: { replicas: 0, ...MINIMAL_DEPLOYMENT.spec },
  });
});

test('options of a deletion are read in any group', () => {
  const fields = [
    number(1, 30),
    chunk(2, chunk(1, 'some-uid')),
    chunk(4, 'Background'),
    chunk(5, 'All'),
  ];
  for (const apiVersion of ['v1', 'apps/v1', 'meta.k8s.io/v1', 'scheduling.volcano.sh/v1beta1']) {
    assert.deepEqual(decodeProtobuf(envelope(apiVersion, 'DeleteOptions', ...fields)), {
      kind: 'DeleteOptions',
      apiVersion,
      gracePeriodSeconds: 30,
      preconditions: { uid: 'some-uid' },
      propagationPolicy: 'Background',
      dryRun: ['All'],
    });
  }
});

test('a body that does not say its kind is of the expected one', () => {
  const expected = { apiVersion: 'v1', kind: 'Namespace' };
  assert.deepEqual(decodeProtobuf(envelope('', '', chunk(1, chunk(1, 'a'))), expected), {
    ...expected,
    metadata: { name: 'a' },
    spec: {},
    status: {},
  });
});

test('fields of newer clients are passed over', () => {
  const body = envelope(
    'v1',
    'ConfigMap',
    number(900, 5),
    chunk(901, 'x'),
    chunk(1, chunk(1, 'a')),
  );
  assert.deepEqual(decodeProtobuf(body), {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a' },
  });
});

test('a key of a map may have any name', () => {
  const body = envelope('v1', 'ConfigMap', chunk(2, chunk(1, '__proto__'), chunk(2, 'x')));
  const { data } = decodeProtobuf(body);
  assert.deepEqual(Object.entries(data ?? {}), [['__proto__', 'x']]);
});

test('whole numbers may be negative, and are kept to the last digit', () => {
  const generation = (value: bigint) => envelope('v1', 'ConfigMap', chunk(1, number(7, value)));
  for (const value of [-1n, 2n ** 53n - 1n, -(2n ** 53n - 1n), 2n ** 31n, -(2n ** 32n)]) {
    assert.deepEqual(decodeProtobuf(generation(value)).metadata, { generation: Number(value) });
  }
  for (const value of [2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    const text = JSON.stringify(decodeProtobuf(generation(value)).metadata);
    assert.equal(text, `{"generation":${value}}`);
  }
});

test('numbers of a list may come one by one or in one chunk', () => {
  const groups = (...fields: readonly Buffer[]) =>
    decodeProtobuf(envelope('v1', 'Pod', chunk(2, chunk(14, ...fields)))).spec;
  const securityContext = { supplementalGroups: [5, 300] };
  assert.deepEqual(groups(number(4, 5), number(4, 300)), { containers: null, securityContext });
  assert.deepEqual(groups(chunk(4, Buffer.from([5, 0xac, 2]))), {
    containers: null,
    securityContext,
  });
});

test('times are to the second, or to the microsecond; the zero time is null', () => {
  const lease = (time: Buffer) =>
    decodeProtobuf(envelope('coordination.k8s.io/v1', 'Lease', chunk(2, time))).spec;
  assert.deepEqual(lease(chunk(4, number(1, 0), number(2, 1_999))), {
    renewTime: '1970-01-01T00:00:00.000001Z',
  });
  const created = (...time: readonly Buffer[]) =>
    decodeProtobuf(envelope('v1', 'ConfigMap', chunk(1, chunk(8, ...time)))).metadata;
  assert.deepEqual(created(number(1, 253_402_300_799n), number(2, 999_999_999)), {
    creationTimestamp: '9999-12-31T23:59:59Z',
  });
  assert.deepEqual(created(), {});
  assert.deepEqual(created(number(1, -62_135_596_800n)), {});
  assert.throws(() => created(number(1, 253_402_300_800n)), {
    message: 'metadata.creationTimestamp: a time is not within the years 1 to 9999',
  });
});
