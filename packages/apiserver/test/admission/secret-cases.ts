import type { Kind } from '@perigee/api/kind/define-kind';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { JsonObject } from '@perigee/schema/json';

/** A change of the spec, and whether it takes the right to read the Secret that the object names. */
export type SpecChange = readonly [what: string, spec: JsonObject, needsRight: boolean];

/** An object that names the Secret `team/key`, and what becomes of it. */
export interface SecretCase {
  readonly kind: Kind;
  readonly spec: JsonObject;
  readonly changes: readonly SpecChange[];
}

const key = { namespace: 'team', name: 'key' };
const other = { namespace: 'team', name: 'other' };
const option = (name: string) => [
  { name: 'token', valueFrom: { secretKeyRef: { name, key: 'k' } } },
];
const mounts = (mount: JsonObject): JsonObject => ({ mounts: [{ name: 'm', ...mount }] });
const selector = (rest: JsonObject) => ({
  resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret', ...rest }],
});
const endpoint = 'https://10.0.0.1:6443';
const elsewhere = 'https://10.6.6.6:6443';
const storage = { uri: 's3://bucket/', encryptOptions: option('key') };
const keyVolume = { name: 'v', secret: { secretName: 'key' } };
const processed = (processor: JsonObject): JsonObject => ({
  dataset: { name: 'd', mountPath: '/data' },
  processor,
});
const migrate = { from: { dataset: { name: 'd', namespace: 'team' } } };

export const SECRET_CASES: readonly SecretCase[] = [
  {
    kind: ClusterRecord,
    spec: { type: 'kubernetes', apiEndpoint: endpoint, secretRef: key },
    changes: [
      ['another Secret', { secretRef: other }, true],
      ['another address', { apiEndpoint: elsewhere }, true],
      ['another region', { region: { region: 'r' } }, false],
      ['no Secret, and another address', { secretRef: null, apiEndpoint: elsewhere }, false],
    ],
  },
  {
    kind: MemberCluster,
    spec: { syncMode: 'Push', apiEndpoint: endpoint, secretRef: key },
    changes: [
      ['another Secret', { secretRef: other }, true],
      ['a Secret to act for others with', { impersonatorSecretRef: key }, true],
      ['another address', { apiEndpoint: elsewhere }, true],
      ['a proxy', { proxyURL: 'http://10.6.6.6:3128' }, true],
      ['no look at the certificate', { insecureSkipTLSVerification: true }, true],
      ['another region', { region: 'r' }, false],
    ],
  },
  {
    kind: MemberCluster,
    spec: { syncMode: 'Push', apiEndpoint: endpoint, impersonatorSecretRef: key },
    changes: [['another address', { apiEndpoint: elsewhere }, true]],
  },
  {
    kind: Dataset,
    spec: mounts({ mountPoint: 's3://bucket/', encryptOptions: option('key') }),
    changes: [
      ['another bucket', mounts({ mountPoint: 's3://my/', encryptOptions: option('key') }), true],
      ['other options', { sharedOptions: { endpoint: 'evil.example' } }, true],
      ['another placement', { placement: 'Shared' }, false],
    ],
  },
  {
    kind: Dataset,
    spec: { ...mounts({ mountPoint: 's3://bucket/' }), sharedEncryptOptions: option('key') },
    changes: [['another bucket', mounts({ mountPoint: 's3://my/' }), true]],
  },
  {
    kind: Dataset,
    spec: { dataRestoreLocation: { path: 's3://saved/', encryptOptions: option('key') } },
    changes: [
      [
        'another bucket',
        { dataRestoreLocation: { path: 's3://my/', encryptOptions: option('key') } },
        true,
      ],
    ],
  },
  {
    kind: DataBackup,
    spec: { dataset: 'raw', backupPath: 's3://saved/', encryptOptions: option('key') },
    changes: [
      ['another bucket', { backupPath: 's3://my/' }, true],
      ['another address', { options: { endpoint: 'evil.example' } }, true],
      ['a time to live', { ttlSecondsAfterFinished: 9 }, false],
    ],
  },
  {
    kind: DataMigrate,
    spec: { ...migrate, to: { externalStorage: storage } },
    changes: [['another image', { image: 'evil' }, true]],
  },
  {
    kind: DataMigrate,
    spec: {
      ...migrate,
      to: { externalStorage: { uri: 's3://bucket/' } },
      parallelism: 2,
      parallelOptions: { sshSecretName: 'key' },
    },
    changes: [],
  },
  {
    kind: DataProcess,
    spec: processed({ script: { source: 'ls', volumes: [keyVolume] } }),
    changes: [
      ['another script', processed({ script: { source: 'cat', volumes: [keyVolume] } }), true],
      ['more time', { activeDeadlineSeconds: 5 }, false],
    ],
  },
  {
    kind: DataProcess,
    spec: processed({
      job: {
        podSpec: {
          containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'key' } }] }],
        },
      },
    }),
    changes: [],
  },
  {
    kind: PropagationPolicy,
    spec: { ...selector({ name: 'key' }), placement: { clusterAffinity: { clusterNames: ['a'] } } },
    changes: [
      ['other clusters', { placement: { clusterAffinity: { clusterNames: ['b'] } } }, true],
      ['another Secret', selector({ name: 'other' }), true],
      ['all Secrets', selector({}), true],
      ['its dependencies', { propagateDeps: true }, false],
    ],
  },
  {
    kind: ClusterPropagationPolicy,
    spec: selector({ namespace: 'team', name: 'key' }),
    changes: [],
  },
  {
    kind: ResourceBinding,
    spec: { resource: { apiVersion: 'v1', kind: 'Secret', ...key } },
    changes: [['other clusters', { clusters: [{ name: 'b' }] }, false]],
  },
];
