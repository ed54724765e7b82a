import { at, type KindPool, pool } from './kind-pool.ts';
import { CONTAINERS, POD_BAD, POD_FIELDS, POD_LEAST } from './pod-parts.ts';

export const CORE_POOLS: readonly KindPool[] = [
  pool('v1 ConfigMap configmaps', {
    fields: [
      at('data', { k: '1' }, { k: '2', l: 'x' }, {}),
      at('data.m', 'one', 'two'),
      at('binaryData', { b: 'AAE=' }),
      at('immutable', true, false),
    ],
    bad: [
      at('data', { '../x': '1' }, { k: 5 }, 'text', ['x']),
      at('binaryData', { k: '!!' }, { k: 'AAE=' }),
      at('immutable', 'yes'),
    ],
  }),
  pool('v1 Secret secrets', {
    fields: [
      at('data', { k: 'YQ==' }, { k: 'Yg==', l: '' }, {}),
      at('stringData', { k: 'plain' }, { n: 'new' }),
      at('type', 'Opaque', 'example.com/own'),
      at('immutable', true),
    ],
    bad: [
      at('type', 'kubernetes.io/tls', 'kubernetes.io/basic-auth', 'kubernetes.io/dockerconfigjson'),
      at('data', { k: 'not base64!' }, { 'a b': '' }),
    ],
  }),
  pool('v1 ServiceAccount serviceaccounts', {
    fields: [
      at('secrets', [{ name: 'a' }], [{ name: 'a' }, { name: 'b' }]),
      at('imagePullSecrets', [{ name: 'p' }], [{ name: 'q' }, { name: 'p' }]),
      at('automountServiceAccountToken', true, false),
    ],
    bad: [at('imagePullSecrets', [{}], 'x'), at('secrets', [{ bogus: 1 }])],
  }),
  pool('v1 Pod pods', {
    least: { spec: POD_LEAST },
    fields: POD_FIELDS,
    bad: POD_BAD,
    status: [
      at('status.phase', 'Running', 'Succeeded', 'Pending'),
      at('status.podIP', '10.1.2.3'),
      at(
        'status.conditions',
        [{ type: 'Ready', status: 'True' }],
        [
          { type: 'Ready', status: 'False', reason: 'No' },
          { type: 'example.com/gate', status: 'True' },
        ],
      ),
      at('status.message', 'hello'),
    ],
  }),
  pool('v1 Service services', {
    least: { spec: { ports: [{ port: 80 }] } },
    fields: [
      at(
        'spec.ports',
        [{ port: 80 }],
        [
          { name: 'http', port: 80, targetPort: 'web' },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ],
        [{ name: 'http', port: 8080, targetPort: 8081, appProtocol: 'h2c' }],
      ),
      at('spec.selector', { app: 'a' }, { app: 'b', tier: 'x' }, {}),
      at('spec.type', 'ClusterIP', 'ExternalName', 'LoadBalancer'),
      at('spec.clusterIP', 'None'),
      at('spec.externalName', 'example.com'),
      at('spec.sessionAffinity', 'ClientIP', 'None'),
      at('spec.publishNotReadyAddresses', true),
      at('spec.internalTrafficPolicy', 'Local', 'Cluster'),
      at('spec.externalTrafficPolicy', 'Local', 'Cluster'),
      at('spec.externalIPs', ['8.8.8.8'], []),
    ],
    bad: [
      at('spec.ports', [], [{ port: 0 }], [{ port: 80 }, { port: 81 }], [{ port: 'x' }]),
      at('spec.type', 'Nope'),
      at('spec.clusterIP', 'not-an-ip', '10.250.0.1.9'),
      at('spec.sessionAffinity', 'Sometimes'),
    ],
    status: [at('status.loadBalancer', { ingress: [{ ip: '1.2.3.4' }] }, {})],
  }),
  pool('v1 PersistentVolumeClaim persistentvolumeclaims', {
    least: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    fields: [
      at('spec.accessModes', ['ReadWriteOnce'], ['ReadWriteMany', 'ReadOnlyMany']),
      at('spec.resources.requests.storage', '1Gi', '2Gi', '1024Mi'),
      at('spec.storageClassName', '', 'fast'),
      at('spec.volumeMode', 'Block', 'Filesystem'),
      at('spec.volumeName', 'pv1'),
      at('spec.selector', { matchLabels: { a: 'b' } }),
    ],
    bad: [
      at('spec.accessModes', [], ['Never']),
      at('spec.resources.requests.storage', '-1', 'lots', 5),
      at('spec.resources', {}),
    ],
    status: [
      at('status.phase', 'Bound', 'Pending'),
      at('status.capacity', { storage: '1Gi' }),
      at('status.accessModes', ['ReadWriteOnce']),
    ],
  }),
  pool('v1 Node nodes', {
    cluster: true,
    fields: [
      at('spec.unschedulable', true, false),
      at('spec.podCIDR', '10.244.1.0/24'),
      at('spec.providerID', 'x://1'),
      at(
        'spec.taints',
        [{ key: 'a', effect: 'NoSchedule' }],
        [
          { key: 'a', value: 'v', effect: 'NoExecute' },
          { key: 'b', effect: 'PreferNoSchedule' },
        ],
      ),
    ],
    bad: [
      at('spec.taints', [{ key: 'a', effect: 'Never' }], [{ key: 'a b', effect: 'NoSchedule' }]),
      at('spec.podCIDR', 'nope'),
    ],
    status: [
      at('status.capacity', { cpu: '4', memory: '8Gi' }, { cpu: '4000m' }),
      at('status.allocatable', { cpu: '3500m' }),
      at('status.addresses', [{ type: 'InternalIP', address: '10.0.0.9' }]),
      at('status.conditions', [{ type: 'Ready', status: 'True', reason: 'Up' }]),
    ],
  }),
  pool('v1 ReplicationController replicationcontrollers', {
    scale: true,
    least: {
      spec: {
        selector: { app: 'a' },
        template: { metadata: { labels: { app: 'a' } }, spec: POD_LEAST },
      },
    },
    fields: [at('spec.replicas', 0, 1, 4), at('spec.template.spec.containers', ...CONTAINERS)],
    bad: [at('spec.replicas', -1, 'x'), at('spec.selector', { app: 'b' })],
    status: [at('status.replicas', 1, 2)],
  }),
];
