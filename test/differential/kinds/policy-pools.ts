import { at, type KindPool, pool } from './kind-pool.ts';

const RULES = [
  [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  [
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['*'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'], resourceNames: ['x'] },
  ],
];
const BACKEND = { service: { name: 's', port: { number: 80 } } };

export const POLICY_POOLS: readonly KindPool[] = [
  pool('rbac.authorization.k8s.io/v1 Role roles', {
    fields: [at('rules', ...RULES, [])],
    bad: [at('rules', [{ apiGroups: [''], resources: ['pods'] }], [{ verbs: ['get'] }], 'all')],
  }),
  pool('rbac.authorization.k8s.io/v1 RoleBinding rolebindings', {
    least: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' } },
    fields: [
      at(
        'subjects',
        [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }],
        [
          { kind: 'ServiceAccount', name: 's', namespace: 'default' },
          { kind: 'Group', name: 'g' },
        ],
        [],
      ),
    ],
    bad: [
      at('roleRef.name', 'another', ''),
      at('roleRef.kind', 'Rule'),
      at('subjects', [{ kind: 'User' }], [{ kind: 'Dog', name: 'd' }]),
    ],
  }),
  pool('rbac.authorization.k8s.io/v1 ClusterRole clusterroles', {
    cluster: true,
    fields: [
      at('rules', ...RULES, [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }]),
      at('aggregationRule', { clusterRoleSelectors: [{ matchLabels: { never: 'matches' } }] }),
    ],
    bad: [at('rules', [{ nonResourceURLs: ['/x'], resources: ['pods'], verbs: ['get'] }])],
  }),
  pool('networking.k8s.io/v1 Ingress ingresses', {
    least: { spec: { defaultBackend: BACKEND } },
    fields: [
      at('spec.ingressClassName', 'nginx', 'other'),
      at('spec.tls', [{ hosts: ['a.example'], secretName: 't' }], [{ hosts: ['b.example'] }]),
      at('spec.rules', [
        {
          host: 'a.example',
          http: { paths: [{ path: '/', pathType: 'Prefix', backend: BACKEND }] },
        },
      ]),
      at('spec.rules', [{ host: '*.example' }, { host: 'c.example' }]),
    ],
    bad: [
      at('spec.rules', [{ host: 'UPPER' }], [{ http: { paths: [] } }]),
      at('spec.defaultBackend', {}, { service: { name: 's' } }),
    ],
    status: [at('status.loadBalancer.ingress', [{ hostname: 'lb' }], [{ ip: '1.2.3.4' }])],
  }),
  pool('networking.k8s.io/v1 NetworkPolicy networkpolicies', {
    least: { spec: { podSelector: {} } },
    fields: [
      at('spec.podSelector', { matchLabels: { a: 'b' } }, {}),
      at('spec.policyTypes', ['Ingress'], ['Egress', 'Ingress']),
      at('spec.ingress', [{}], [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }]),
      at('spec.egress', [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }]),
    ],
    bad: [
      at('spec.egress', [{ to: [{ ipBlock: { cidr: 'x' } }] }], [{ to: [{}] }]),
      at('spec.policyTypes', ['Sideways']),
      at('spec.ingress', [{ ports: [{ port: 0 }] }], [{ ports: [{ protocol: 'ICMP' }] }]),
    ],
  }),
  pool('autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers', {
    least: {
      spec: {
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      },
    },
    fields: [
      at('spec.minReplicas', 1, 2),
      at('spec.maxReplicas', 3, 9),
      at('spec.metrics', [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ]),
      at('spec.behavior', { scaleDown: { stabilizationWindowSeconds: 60 } }),
    ],
    bad: [
      at('spec.minReplicas', 0, -1, 10),
      at('spec.maxReplicas', 0),
      at('spec.scaleTargetRef.kind', ''),
      at('spec.metrics', [{ type: 'Resource' }], [{ type: 'Feeling' }]),
    ],
    status: [at('status.currentReplicas', 1), at('status.desiredReplicas', 2)],
  }),
  pool('policy/v1 PodDisruptionBudget poddisruptionbudgets', {
    fields: [
      at('spec.minAvailable', 1, '50%'),
      at('spec.maxUnavailable', 1, '10%'),
      at('spec.selector', { matchLabels: { a: 'b' } }, {}),
      at('spec.unhealthyPodEvictionPolicy', 'AlwaysAllow'),
    ],
    bad: [
      at('spec.minAvailable', -1, 'some', '200%'),
      at('spec.unhealthyPodEvictionPolicy', 'Perhaps'),
    ],
    status: [at('status.disruptionsAllowed', 1), at('status.currentHealthy', 2)],
  }),
  pool('coordination.k8s.io/v1 Lease leases', {
    fields: [
      at('spec.holderIdentity', 'me', 'you'),
      at('spec.leaseDurationSeconds', 15, 30),
      at('spec.leaseTransitions', 0, 3),
      at('spec.renewTime', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:01.123456Z'),
    ],
    bad: [
      at('spec.leaseDurationSeconds', 0, 'x'),
      at('spec.leaseTransitions', -1),
      at('spec.renewTime', 'soon'),
      at('spec.holderIdentity', ''),
    ],
  }),
  pool('scheduling.k8s.io/v1 PriorityClass priorityclasses', {
    cluster: true,
    least: { value: 10 },
    fields: [
      at('description', 'one', 'two'),
      at('value', 10),
      at('preemptionPolicy', 'PreemptLowerPriority'),
      at('globalDefault', false),
    ],
    bad: [at('value', 11, 2_000_000_000, 'x'), at('preemptionPolicy', 'Never', 'Whenever')],
  }),
  pool('storage.k8s.io/v1 StorageClass storageclasses', {
    cluster: true,
    least: { provisioner: 'example.com/p' },
    fields: [
      at('allowVolumeExpansion', true, false),
      at('mountOptions', ['a'], ['b', 'a']),
      at('reclaimPolicy', 'Delete'),
      at('volumeBindingMode', 'Immediate'),
    ],
    bad: [
      at('provisioner', '', 'other'),
      at('reclaimPolicy', 'Lose'),
      at('parameters', { a: 'b' }),
    ],
  }),
];
