export const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'made',
    namespace: 'own',
    labels: { a: 'b' },
    annotations: { note: 'x' },
    finalizers: ['example.com/wait'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: 'u' }],
    managedFields: [{ manager: 'm', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: {} }],
  },
  data: { key: 'value' },
  binaryData: { blob: 'AAAA' },
};

export const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'd' } },
    strategy: { rollingUpdate: { maxSurge: '25%' } },
    template: {
      metadata: { labels: { app: 'd' } },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            resources: { requests: { cpu: '100m', memory: '1Gi' } },
            env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          },
        ],
      },
    },
  },
};

export const policy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: 'p' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }],
    placement: { clusterAffinity: { clusterNames: ['m1'] } },
  },
};

/** All of what clients send. */
export const SENT_OBJECTS: readonly object[] = [
  configMap,
  configMap,
  deployment,
  policy,
  { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'x' }, dryRun: ['All'] },
  { kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { verb: 'get' } } },
  { kind: 'SubjectAccessReview', spec: { user: 'x', nonResourceAttributes: { path: '/' } } },
  { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token: 'a.b.c' } },
  { kind: 'TokenRequest', spec: { audiences: ['a'], expirationSeconds: 600 } },
  { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'd' }, spec: { replicas: 2 } },
  { kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
  { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'p' } },
  [
    { op: 'add', path: '/data/x', value: 'y' },
    { op: 'remove', path: '/metadata/labels/a' },
    { op: 'move', from: '/data/key', path: '/data/other' },
    { op: 'test', path: '/kind', value: 'ConfigMap' },
  ],
  { data: { key: null, other: 'x' }, metadata: { labels: { $patch: 'replace', a: 'c' } } },
  { spec: { template: { spec: { containers: [{ name: 'c', $patch: 'delete' }] } } } },
  { spec: { 'template/$setElementOrder/containers': [{ name: 'c' }], $retainKeys: ['replicas'] } },
];

export const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { type: 'NodePort', ports: [{ port: 80, targetPort: 'web' }], selector: { app: 'd' } },
};

export const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ],
  },
};
