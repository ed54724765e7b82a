/** A pod as clusters have them, of some 3 kB; the same for the same number. */
export const podOf = (at: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `web-7d4b9c6f5d-${at}`,
    generateName: 'web-7d4b9c6f5d-',
    namespace: 'default',
    uid: `6e2c8d50-0f0a-4b5e-9a51-${String(at).padStart(12, '0')}`,
    resourceVersion: String(1000 + at),
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web', 'pod-template-hash': '7d4b9c6f5d', tier: 'front', release: 'stable' },
    annotations: {
      'kubernetes.io/psp': 'restricted',
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '9090',
      note: 'x'.repeat(300),
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-7d4b9c6f5d',
        uid: '0d3f7f0e-4f4b-4a2c-8f7b-0a3d7d4b9c6f',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'example.io/team/web:1.24.3',
        args: ['--listen=:8080', '--log-level=info', '--upstream=http://api.default.svc'],
        ports: [
          { name: 'http', containerPort: 8080, protocol: 'TCP' },
          { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
        ],
        env: Array.from({ length: 8 }, (_, n) => ({
          name: `SETTING_${n}`,
          value: `value of ${n}`,
        })),
        resources: {
          limits: { cpu: '500m', memory: '512Mi' },
          requests: { cpu: '100m', memory: '128Mi' },
        },
        volumeMounts: [
          { name: 'config', mountPath: '/etc/web', readOnly: true },
          {
            name: 'token',
            mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
            readOnly: true,
          },
        ],
        livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 },
        readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 5 },
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'web', defaultMode: 420 } },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
    ],
    restartPolicy: 'Always',
    serviceAccountName: 'web',
    nodeName: `node-${at % 100}`,
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
  },
  status: {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:00:10Z',
    })),
    hostIP: `10.0.0.${at % 250}`,
    podIP: `10.1.${at % 250}.7`,
    startTime: '2026-01-01T00:00:01Z',
    containerStatuses: [
      {
        name: 'web',
        ready: true,
        restartCount: 0,
        image: 'example.io/team/web:1.24.3',
        imageID: 'example.io/team/web@sha256:0f0a4b5e9a51',
        state: { running: { startedAt: '2026-01-01T00:00:05Z' } },
      },
    ],
    qosClass: 'Burstable',
  },
});
