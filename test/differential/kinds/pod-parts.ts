import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { at, type Field } from './kind-pool.ts';

export const POD_LEAST: JsonObject = { containers: [{ name: 'c', image: 'img' }] };

/** The template of workloads that select `app: a`. */
export const TEMPLATE: JsonObject = { metadata: { labels: { app: 'a' } }, spec: POD_LEAST };

const PROBE = { httpGet: { path: '/', port: 8080 }, periodSeconds: 5 };

export const CONTAINERS: readonly JsonValue[] = [
  [{ name: 'c', image: 'img' }],
  [{ name: 'c', image: 'img:2', env: [{ name: 'E', value: '1' }] }],
  [
    { name: 'c', image: 'img:2', env: [{ name: 'F', value: '2' }, { name: 'E' }] },
    { name: 'd', image: 'side', ports: [{ containerPort: 80 }] },
  ],
  [
    {
      name: 'c',
      image: 'img',
      ports: [
        { containerPort: 80, name: 'web' },
        { containerPort: 80, protocol: 'UDP' },
      ],
      resources: { limits: { cpu: '1', memory: '64Mi' }, requests: { cpu: '500m' } },
      livenessProbe: PROBE,
    },
  ],
  [
    { name: 'd', image: 'side', command: ['sh', '-c'], args: ['x'], workingDir: '/' },
    { name: 'c', image: 'img', imagePullPolicy: 'Never', volumeMounts: [] },
  ],
];

const BAD_CONTAINERS: readonly JsonValue[] = [
  [],
  [{ name: 'c' }],
  [{ name: 'Bad_Name', image: 'img' }],
  [
    { name: 'c', image: 'img' },
    { name: 'c', image: 'img' },
  ],
  [{ name: 'c', image: 'img', ports: [{ containerPort: 99_999 }] }],
  [{ name: 'c', image: 'img', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }],
  [{ name: 'c', image: 'img', bogus: true }],
  [{ name: 'c', image: 5 }],
  'none',
];

const VOLUMES: readonly JsonValue[] = [
  [{ name: 'v', emptyDir: {} }],
  [
    { name: 'v', configMap: { name: 'm' } },
    { name: 'w', secret: { secretName: 's' } },
  ],
  [],
];

const TOLERATIONS: readonly JsonValue[] = [
  [{ key: 'a', operator: 'Exists' }],
  [{ key: 'a', value: 'x', effect: 'NoExecute', tolerationSeconds: 5 }, { operator: 'Exists' }],
];

export const podFieldsUnder = (prefix: string): readonly Field[] => [
  at(`${prefix}.containers`, ...CONTAINERS),
  at(`${prefix}.initContainers`, [{ name: 'i', image: 'img' }], []),
  at(`${prefix}.volumes`, ...VOLUMES),
  at(`${prefix}.tolerations`, ...TOLERATIONS),
  at(`${prefix}.nodeSelector`, { disk: 'ssd' }, {}),
  at(`${prefix}.terminationGracePeriodSeconds`, 0, 5, 30),
  at(`${prefix}.imagePullSecrets`, [{ name: 'p' }], [{ name: 'q' }, { name: 'p' }]),
  at(`${prefix}.hostAliases`, [{ ip: '1.1.1.1', hostnames: ['a'] }]),
  at(`${prefix}.securityContext`, { runAsUser: 5, supplementalGroups: [1, 2] }, {}),
  at(`${prefix}.affinity`, {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }],
      },
    },
  }),
  at(`${prefix}.topologySpreadConstraints`, [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
  ]),
];

export const podBadUnder = (prefix: string): readonly Field[] => [
  at(`${prefix}.containers`, ...BAD_CONTAINERS),
  at(`${prefix}.volumes`, [{ name: 'v' }, { name: 'v' }], [{ name: 'Not Valid' }]),
  at(`${prefix}.tolerations`, [{ key: 'a', operator: 'Maybe' }], [{ value: 'x' }]),
  at(`${prefix}.dnsPolicy`, 'Sometimes'),
  at(`${prefix}.terminationGracePeriodSeconds`, -5, 'x'),
  at(`${prefix}.bogus`, 'x'),
];

export const POD_FIELDS: readonly Field[] = [
  ...podFieldsUnder('spec'),
  at('spec.nodeName', 'node1'),
  at('spec.restartPolicy', 'Always', 'Never', 'OnFailure'),
  at('spec.activeDeadlineSeconds', 5, 50),
  at('spec.schedulingGates', [{ name: 'example.com/gate' }], []),
];

export const POD_BAD: readonly Field[] = [
  ...podBadUnder('spec'),
  at('spec.restartPolicy', 'Rarely'),
];
