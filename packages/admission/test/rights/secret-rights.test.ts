import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { neededRights } from '../../src/rights/needed-rights.ts';

const kindOf = (resource: string): { readonly group: string; readonly plural: string } => {
  const at = resource.indexOf('.');
  return { plural: resource.slice(0, at), group: resource.slice(at + 1) };
};

/** The Secrets that a write takes the right to read, as `field namespace/name`; a star for all of them. */
const secretsOf = (
  resource: string,
  spec: JsonObject,
  old?: JsonObject,
  namespace = 'team',
): readonly string[] => {
  const objectOf = (of: JsonObject): JsonObject => ({
    metadata: { name: 'x', namespace },
    spec: of,
  });
  return neededRights(kindOf(resource), objectOf(spec), old && objectOf(old))
    .filter((right) => right.resource === 'secrets')
    .map(({ field, verb, namespace: place, name }) => {
      assert.equal(verb, name === '' ? 'list' : 'get');
      return `${field} ${place || '*'}/${name || '*'}`;
    });
};

const secretOption = (name: string): JsonObject => ({
  name: 'key',
  valueFrom: { secretKeyRef: { name, key: 'k' } },
});
const ref = (name: string): JsonObject => ({ namespace: 'keys', name });

interface Case {
  readonly what: string;
  readonly resource: string;
  readonly spec: JsonObject;
  readonly secrets: readonly string[];
  /** Another destination of the same Secrets. */
  readonly elsewhere?: JsonObject;
}

const CASES: readonly Case[] = [
  {
    what: 'a cluster record',
    resource: 'clusters.globalscheduler.com',
    spec: { type: 'kubernetes', apiEndpoint: 'https://a', secretRef: ref('kube') },
    secrets: ['spec.secretRef keys/kube'],
    elsewhere: { type: 'kubernetes', apiEndpoint: 'https://evil', secretRef: ref('kube') },
  },
  {
    what: 'an execution target',
    resource: 'clusters.cluster.karmada.io',
    spec: { apiEndpoint: 'https://a', secretRef: ref('a'), impersonatorSecretRef: ref('b') },
    secrets: ['spec.secretRef keys/a', 'spec.impersonatorSecretRef keys/b'],
    elsewhere: {
      apiEndpoint: 'https://a',
      proxyURL: 'http://evil',
      secretRef: ref('a'),
      impersonatorSecretRef: ref('b'),
    },
  },
  {
    what: 'a dataset with options from Secrets, at every place',
    resource: 'datasets.data.fluid.io',
    spec: {
      sharedEncryptOptions: [secretOption('shared')],
      mounts: [
        { mountPoint: 's3://a', encryptOptions: [{ name: 'plain' }, secretOption('mount')] },
      ],
      dataRestoreLocation: { path: 's3://b', encryptOptions: [secretOption('backup')] },
    },
    secrets: [
      'spec.sharedEncryptOptions[0].valueFrom.secretKeyRef team/shared',
      'spec.mounts[0].encryptOptions[1].valueFrom.secretKeyRef team/mount',
      'spec.dataRestoreLocation.encryptOptions[0].valueFrom.secretKeyRef team/backup',
    ],
    elsewhere: {
      sharedEncryptOptions: [secretOption('shared')],
      sharedOptions: { endpoint: 'https://evil' },
      mounts: [
        { mountPoint: 's3://a', encryptOptions: [{ name: 'plain' }, secretOption('mount')] },
      ],
      dataRestoreLocation: { path: 's3://b', encryptOptions: [secretOption('backup')] },
    },
  },
  {
    what: 'a backup',
    resource: 'databackups.data.fluid.io',
    spec: { dataset: 'raw', backupPath: 's3://a', encryptOptions: [secretOption('s3')] },
    secrets: ['spec.encryptOptions[0].valueFrom.secretKeyRef team/s3'],
    elsewhere: { dataset: 'raw', backupPath: 's3://evil', encryptOptions: [secretOption('s3')] },
  },
  {
    what: 'a migration, from and to storage, by several pods',
    resource: 'datamigrates.data.fluid.io',
    spec: {
      from: { externalStorage: { uri: 's3://a', encryptOptions: [secretOption('from')] } },
      to: { externalStorage: { uri: 's3://b', encryptOptions: [secretOption('to')] } },
      parallelOptions: { sshSecretName: 'ssh' },
    },
    secrets: [
      'spec.from.externalStorage.encryptOptions[0].valueFrom.secretKeyRef team/from',
      'spec.to.externalStorage.encryptOptions[0].valueFrom.secretKeyRef team/to',
      'spec.parallelOptions[sshSecretName] team/ssh',
    ],
    elsewhere: {
      from: { externalStorage: { uri: 's3://a', encryptOptions: [secretOption('from')] } },
      to: { externalStorage: { uri: 's3://b', encryptOptions: [secretOption('to')] } },
      parallelOptions: { sshSecretName: 'ssh' },
      image: 'evil',
    },
  },
  {
    what: 'a processor that is a script',
    resource: 'dataprocesses.data.fluid.io',
    spec: {
      processor: { script: { source: 'ls', volumes: [{ secret: { secretName: 'files' } }] } },
    },
    secrets: ['spec.processor.script team/files'],
    elsewhere: {
      processor: { script: { source: 'cat', volumes: [{ secret: { secretName: 'files' } }] } },
    },
  },
  {
    what: 'a processor that is a job',
    resource: 'dataprocesses.data.fluid.io',
    spec: {
      processor: {
        job: {
          podSpec: { containers: [{ envFrom: [{ secretRef: { name: 'env' } }] }] },
        },
      },
    },
    secrets: ['spec.processor.job.podSpec team/env'],
  },
  {
    what: 'a policy that names a Secret, in its own namespace unless it says another',
    resource: 'propagationpolicies.policy.karmada.io',
    spec: {
      resourceSelectors: [
        { apiVersion: 'v1', kind: 'Secret', name: 'key' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'other' },
      ],
      placement: { clusterAffinity: { clusterNames: ['a'] } },
    },
    secrets: ['spec.resourceSelectors[0] team/key'],
    elsewhere: {
      resourceSelectors: [
        { apiVersion: 'v1', kind: 'Secret', name: 'key' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'other' },
      ],
      placement: { clusterAffinity: { clusterNames: ['evil'] } },
    },
  },
  {
    what: 'a binding of a Secret',
    resource: 'resourcebindings.work.karmada.io',
    spec: { resource: { apiVersion: 'v1', kind: 'Secret', namespace: 'team', name: 'key' } },
    secrets: ['spec.resource team/key'],
  },
];

describe('the right to read Secrets', () => {
  for (const { what, resource, spec, secrets, elsewhere } of CASES) {
    it(`is needed for ${what}`, () => {
      assert.deepEqual(secretsOf(resource, spec), secrets);
      assert.deepEqual(secretsOf(resource, spec, spec), [], 'nothing new is disclosed');
      if (elsewhere !== undefined) {
        assert.deepEqual(secretsOf(resource, elsewhere, spec), secrets, 'they go elsewhere');
      }
    });
  }

  it('is needed to select all Secrets of a namespace, or of all namespaces', () => {
    const all = { resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret' }] };
    const namespaced = 'propagationpolicies.policy.karmada.io';
    assert.deepEqual(secretsOf(namespaced, all), ['spec.resourceSelectors[0] team/*']);
    const wide = 'clusterpropagationpolicies.policy.karmada.io';
    assert.deepEqual(secretsOf(wide, all, undefined, ''), ['spec.resourceSelectors[0] */*']);
  });

  it('is needed for the new Secrets alone when another one is added, in any order', () => {
    const policy = (...names: readonly string[]): JsonObject => ({
      resourceSelectors: names.map((name) => ({ apiVersion: 'v1', kind: 'Secret', name })),
    });
    const resource = 'propagationpolicies.policy.karmada.io';
    assert.deepEqual(secretsOf(resource, policy('b', 'a'), policy('a', 'b')), []);
    assert.deepEqual(secretsOf(resource, policy('c', 'a'), policy('a', 'b')), [
      'spec.resourceSelectors[0] team/c',
    ]);
  });

  it('is asked for once, however often an object names a Secret', () => {
    const spec = { sharedEncryptOptions: [secretOption('same'), secretOption('same')] };
    assert.equal(secretsOf('datasets.data.fluid.io', spec).length, 1);
  });

  it('is not needed for kinds that use none', () => {
    assert.deepEqual(secretsOf('queues.scheduling.volcano.sh', { secretRef: ref('x') }), []);
  });
});
