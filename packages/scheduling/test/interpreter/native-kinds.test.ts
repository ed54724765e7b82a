import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import type { JsonObject } from '@perigee/schema/json';

const interpreter = createInterpreter(nativeKinds);

const API: { readonly [kind: string]: string } = {
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  Ingress: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
};

const of = (kind: string) => interpreter.of(API[kind] ?? 'v1', kind);

const container = (requests: JsonObject, limits?: JsonObject): JsonObject => ({
  name: 'c',
  image: 'i',
  resources: { requests, ...(limits === undefined ? {} : { limits }) },
});

const templated = (podSpec: JsonObject, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'x', namespace: 'ns' },
  spec: { ...spec, template: { spec: podSpec } },
});

describe('what workloads ask for', () => {
  const cases: readonly (readonly [string, string, JsonObject, unknown])[] = [
    ['Deployment', 'replicas', templated({}, { replicas: 3 }), { replicas: 3 }],
    ['Deployment', 'nothing said', templated({}), { replicas: 0 }],
    [
      'StatefulSet',
      'the sum of its containers',
      templated(
        { containers: [container({ cpu: '100m' }), container({ cpu: '1', memory: '1Gi' })] },
        { replicas: 2 },
      ),
      { replicas: 2, requirements: { resourceRequest: { cpu: '1100m', memory: '1Gi' } } },
    ],
    [
      'ReplicaSet',
      'limits count where nothing is requested',
      templated({ containers: [container({ cpu: '1' }, { cpu: '2', memory: '1Gi' })] }),
      { replicas: 0, requirements: { resourceRequest: { cpu: '1', memory: '1Gi' } } },
    ],
    [
      'Deployment',
      'the largest init container, and overhead on top',
      templated({
        containers: [container({ cpu: '1' })],
        initContainers: [container({ cpu: '3' }), container({ cpu: '2' })],
        overhead: { cpu: '500m' },
      }),
      { replicas: 0, requirements: { resourceRequest: { cpu: '3500m' } } },
    ],
    [
      'Deployment',
      'the nodes that it accepts',
      templated({ nodeSelector: { gpu: 'yes' }, tolerations: [{ operator: 'Exists' }] }),
      {
        replicas: 0,
        requirements: {
          nodeClaim: { nodeSelector: { gpu: 'yes' }, tolerations: [{ operator: 'Exists' }] },
        },
      },
    ],
    ['Job', 'parallelism', templated({}, { parallelism: 4 }), { replicas: 4 }],
    [
      'Job',
      'no more than there is left to do',
      templated({}, { parallelism: 4, completions: 2 }),
      { replicas: 2 },
    ],
    ['Pod', 'always one', { metadata: {}, spec: {} }, { replicas: 1 }],
  ];
  for (const [kind, title, object, expected] of cases) {
    it(`${kind}: ${title}`, () => assert.deepEqual(of(kind).demand?.(object), expected));
  }

  it('is unknown for kinds without replicas', () => {
    for (const kind of ['ConfigMap', 'DaemonSet', 'Service']) {
      assert.equal(of(kind).demand, undefined);
    }
  });

  it('can be changed', () => {
    assert.deepEqual(of('Deployment').revise?.({ spec: { replicas: 1, paused: true } }, 5), {
      spec: { replicas: 5, paused: true },
    });
    assert.deepEqual(of('Job').revise?.({ spec: {} }, 5), { spec: { parallelism: 5 } });
  });
});

describe('health', () => {
  const seen = { observedGeneration: 2 };
  const cases: readonly (readonly [string, JsonObject, JsonObject, string])[] = [
    [
      'Deployment',
      { replicas: 2 },
      { ...seen, updatedReplicas: 2, availableReplicas: 2 },
      'Healthy',
    ],
    [
      'Deployment',
      { replicas: 2 },
      { ...seen, updatedReplicas: 1, availableReplicas: 2 },
      'Unhealthy',
    ],
    [
      'Deployment',
      { replicas: 2 },
      { ...seen, updatedReplicas: 2, availableReplicas: 1 },
      'Unhealthy',
    ],
    [
      'Deployment',
      { replicas: 2 },
      { observedGeneration: 1, updatedReplicas: 2, availableReplicas: 2 },
      'Unhealthy',
    ],
    [
      'StatefulSet',
      { replicas: 1 },
      { ...seen, updatedReplicas: 1, availableReplicas: 1 },
      'Healthy',
    ],
    ['ReplicaSet', { replicas: 2 }, { ...seen, availableReplicas: 1 }, 'Unhealthy'],
    [
      'DaemonSet',
      {},
      { ...seen, updatedNumberScheduled: 2, desiredNumberScheduled: 2, numberAvailable: 2 },
      'Healthy',
    ],
    [
      'DaemonSet',
      {},
      { ...seen, updatedNumberScheduled: 2, desiredNumberScheduled: 3, numberAvailable: 2 },
      'Unhealthy',
    ],
    ['Service', { type: 'ClusterIP' }, {}, 'Healthy'],
    ['Service', { type: 'LoadBalancer' }, { loadBalancer: {} }, 'Unhealthy'],
    [
      'Service',
      { type: 'LoadBalancer' },
      { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
      'Healthy',
    ],
    ['Ingress', {}, { loadBalancer: { ingress: [{ hostname: 'h' }] } }, 'Healthy'],
    ['Ingress', {}, {}, 'Unhealthy'],
    ['PersistentVolumeClaim', {}, { phase: 'Bound' }, 'Healthy'],
    ['PersistentVolumeClaim', {}, { phase: 'Pending' }, 'Unhealthy'],
    ['Pod', {}, { phase: 'Succeeded' }, 'Healthy'],
    ['Pod', {}, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }, 'Healthy'],
    [
      'Pod',
      {},
      { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
      'Unhealthy',
    ],
    ['PodDisruptionBudget', {}, { currentHealthy: 2, desiredHealthy: 2 }, 'Healthy'],
    ['PodDisruptionBudget', {}, { currentHealthy: 1, desiredHealthy: 2 }, 'Unhealthy'],
  ];
  for (const [kind, spec, status, expected] of cases) {
    it(`${kind} with ${JSON.stringify(status)} is ${expected}`, () => {
      const object = { metadata: { generation: 2 }, spec, status };
      assert.equal(of(kind).health?.(object), expected);
    });
  }
});

describe('aggregated status', () => {
  const item = (clusterName: string, status?: object) => ({
    clusterName,
    ...(status === undefined ? {} : { status }),
  });
  const template = (spec: JsonObject = {}, status: JsonObject = {}): JsonObject => ({
    metadata: { generation: 3 },
    spec,
    status,
  });
  const aggregate = (kind: string, object: JsonObject, ...items: readonly object[]) =>
    of(kind).aggregate?.(object, items as never)?.status;

  it('sums what clusters report, and observes a generation when all have', () => {
    const current = { generation: 1, observedGeneration: 1, resourceTemplateGeneration: 3 };
    const old = { ...current, resourceTemplateGeneration: 2 };
    const count = { replicas: 2, readyReplicas: 1 };
    const all = aggregate(
      'Deployment',
      template(),
      item('a', { ...current, ...count }),
      item('b', { ...current, ...count }),
    );
    assert.deepEqual(all, {
      replicas: 4,
      readyReplicas: 2,
      updatedReplicas: 0,
      availableReplicas: 0,
      unavailableReplicas: 0,
      observedGeneration: 3,
    });
    const behind = template({}, { observedGeneration: 2 });
    const some = aggregate('Deployment', behind, item('a', current), item('b', old)) as JsonObject;
    assert.equal(some.observedGeneration, 2);
    const silent = aggregate('Deployment', behind, item('a', current), item('b')) as JsonObject;
    assert.equal(silent.observedGeneration, 2);
  });

  it('upstream defect: a StatefulSet observes the generation of the template, not of the member', () => {
    const old = { generation: 1, observedGeneration: 1, resourceTemplateGeneration: 2 };
    const status = aggregate(
      'StatefulSet',
      template({}, { observedGeneration: 2 }),
      item('a', old),
    );
    assert.equal((status as JsonObject).observedGeneration, 2);
  });

  const done = (time: string, type = 'Complete') => ({
    succeeded: 1,
    startTime: '2026-01-01T00:00:00Z',
    completionTime: time,
    conditions: [{ type, status: 'True', lastTransitionTime: time }],
  });

  it('ends a job when it has ended everywhere', () => {
    const [early, late] = ['2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z'];
    const running = aggregate('Job', template(), item('a', done(early)), item('b', { active: 1 }));
    assert.deepEqual(running, { active: 1, succeeded: 1, failed: 0 });
    const both = aggregate('Job', template(), item('a', done(late)), item('b', done(early)));
    assert.deepEqual(both, {
      active: 0,
      succeeded: 2,
      failed: 0,
      startTime: '2026-01-01T00:00:00Z',
      completionTime: late,
      conditions: [
        {
          type: 'Complete',
          status: 'True',
          reason: 'Completed',
          message: 'Job completed',
          lastProbeTime: late,
          lastTransitionTime: late,
        },
        {
          type: 'SuccessCriteriaMet',
          status: 'True',
          reason: 'CompletionsReached',
          message: 'All member clusters have met success criteria',
          lastProbeTime: late,
          lastTransitionTime: late,
        },
      ],
    });
  });

  it('fails a job that fails anywhere, and says where', () => {
    const time = '2026-01-01T01:00:00Z';
    const { completionTime: _, ...bad } = done(time, 'Failed');
    const failed = aggregate('Job', template(), item('a', bad), item('b', {}));
    const { conditions, startTime } = failed as { conditions: JsonObject[]; startTime: string };
    assert.deepEqual(
      conditions.map(({ type, message }) => [type, message]),
      ['FailureTarget', 'Failed'].map((type) => [type, 'Job executed failed in member clusters a']),
    );
    assert.equal(startTime, bad.startTime);
    const over = template({}, { conditions: [{ type: 'Failed', status: 'True' }] });
    assert.deepEqual(aggregate('Job', over, item('a', { active: 5 })), over.status);
  });

  it('calls a job failed once nothing of it runs, which is all that Kubernetes accepts', () => {
    const { completionTime: _, ...bad } = done('2026-01-01T01:00:00Z', 'Failed');
    const typesOf = (status: unknown) =>
      (status as { conditions: JsonObject[] }).conditions.map(({ type }) => type);
    const running = aggregate('Job', template(), item('a', bad), item('b', { active: 1 }));
    assert.deepEqual(typesOf(running), ['FailureTarget']);
    // A pod that is going to fail does not complete, wherever it goes.
    const late = done('2026-01-01T02:00:00Z');
    const moved = aggregate('Job', template({}, running as JsonObject), item('b', late));
    assert.deepEqual(typesOf(moved), ['FailureTarget', 'Failed']);
  });

  it('tells the worst phase of pods and volumes', () => {
    const phase = (kind: string, ...phases: readonly (string | undefined)[]) =>
      (
        aggregate(
          kind,
          template(),
          ...phases.map((one, at) =>
            item(String(at), one === undefined ? undefined : { phase: one }),
          ),
        ) as JsonObject
      ).phase;
    assert.equal(phase('Pod', 'Running', 'Failed', 'Succeeded'), 'Failed');
    assert.equal(phase('Pod', 'Running', undefined), 'Pending');
    assert.equal(phase('Pod', 'Succeeded', 'Running'), 'Running');
    assert.equal(phase('PersistentVolumeClaim', 'Bound', 'Pending'), 'Pending');
    assert.equal(phase('PersistentVolumeClaim', 'Lost', 'Pending'), 'Lost');
    assert.equal(phase('PersistentVolumeClaim', 'Bound', 'Bound'), 'Bound');
    // Nobody has bound what nobody has told of.
    assert.equal(phase('PersistentVolumeClaim', 'Bound', undefined), 'Pending');
    assert.equal(phase('PersistentVolumeClaim', undefined), 'Pending');
    assert.equal(phase('PersistentVolume', 'Bound', 'Available'), 'Available');
  });

  it('gathers the entry points of load balancers, each once', () => {
    const balanced = (...ips: readonly string[]) => ({
      loadBalancer: { ingress: ips.map((ip) => ({ ip })) },
    });
    const status = aggregate(
      'Service',
      template({ type: 'LoadBalancer' }),
      item('a', balanced('2.2.2.2', '1.1.1.1')),
      item('b', balanced('1.1.1.1')),
    );
    assert.deepEqual(status, balanced('1.1.1.1', '2.2.2.2'));
    const plain = template({ type: 'ClusterIP' });
    assert.deepEqual(of('Service').aggregate?.(plain, [item('a', {})] as never), plain);
  });
});

describe('what member clusters keep for themselves', () => {
  const cases: readonly (readonly [string, JsonObject, JsonObject, JsonObject])[] = [
    [
      'Service',
      { spec: { ports: [] } },
      { spec: { clusterIP: '10.0.0.1', healthCheckNodePort: 3000 } },
      { spec: { ports: [], clusterIP: '10.0.0.1', healthCheckNodePort: 3000 } },
    ],
    [
      'PersistentVolumeClaim',
      { spec: {} },
      { spec: { volumeName: 'v' } },
      { spec: { volumeName: 'v' } },
    ],
    [
      'PersistentVolume',
      { spec: {} },
      { spec: { claimRef: { name: 'c' } } },
      { spec: { claimRef: { name: 'c' } } },
    ],
    [
      'ServiceAccount',
      { secrets: [{ name: 'a' }] },
      { secrets: [{ name: 'a' }, { name: 'b' }] },
      { secrets: [{ name: 'a' }, { name: 'b' }] },
    ],
    [
      'Secret',
      { type: 'kubernetes.io/service-account-token' },
      { data: { token: 'dA==' } },
      { type: 'kubernetes.io/service-account-token', data: { token: 'dA==' } },
    ],
    ['Secret', { type: 'Opaque', data: {} }, { data: { a: 'b' } }, { type: 'Opaque', data: {} }],
    [
      'Deployment',
      {
        metadata: { labels: { 'resourcetemplate.karmada.io/retain-replicas': 'true' } },
        spec: { replicas: 1 },
      },
      { spec: { replicas: 7 } },
      {
        metadata: { labels: { 'resourcetemplate.karmada.io/retain-replicas': 'true' } },
        spec: { replicas: 7 },
      },
    ],
    [
      'Deployment',
      { metadata: {}, spec: { replicas: 1 } },
      { spec: { replicas: 7 } },
      { metadata: {}, spec: { replicas: 1 } },
    ],
    [
      'Pod',
      { spec: { containers: [{ name: 'c' }] } },
      { spec: { nodeName: 'n', containers: [{ name: 'c', volumeMounts: [{ name: 't' }] }] } },
      { spec: { nodeName: 'n', containers: [{ name: 'c', volumeMounts: [{ name: 't' }] }] } },
    ],
    [
      'Job',
      { spec: { template: { metadata: {} } } },
      {
        spec: {
          selector: { matchLabels: { u: '1' } },
          template: { metadata: { labels: { u: '1' } } },
        },
      },
      {
        spec: {
          selector: { matchLabels: { u: '1' } },
          template: { metadata: { labels: { u: '1' } } },
        },
      },
    ],
    // Nobody can change the completions of a Job, and a finished one does no more of them.
    [
      'Job',
      { spec: { completions: 3 } },
      {
        spec: { completions: 2 },
        status: { conditions: [{ type: 'Complete', status: 'True' }] },
      },
      { spec: { completions: 2 } },
    ],
    [
      'Job',
      { spec: { completions: 3 } },
      { spec: { completions: 2 }, status: { active: 1 } },
      { spec: { completions: 3 } },
    ],
  ];
  for (const [kind, desired, observed, expected] of cases) {
    it(`${kind} ${JSON.stringify(observed)}`, () => {
      assert.deepEqual(of(kind).retain?.(desired, observed), expected);
    });
  }
});

describe('dependencies', () => {
  const names = (kind: string, object: JsonObject) =>
    (of(kind).dependencies?.(object) ?? []).map((one) => `${one.kind}/${one.name}`);

  it('are found wherever a pod can name them', () => {
    const podSpec = {
      serviceAccountName: 'robot',
      imagePullSecrets: [{ name: 'pull' }],
      volumes: [
        { configMap: { name: 'c1' } },
        { secret: { secretName: 's1' } },
        { persistentVolumeClaim: { claimName: 'v1' } },
        { projected: { sources: [{ secret: { name: 's2' } }, { configMap: { name: 'c2' } }] } },
        { csi: { nodePublishSecretRef: { name: 's3' } } },
      ],
      containers: [
        { envFrom: [{ configMapRef: { name: 'c3' } }, { secretRef: { name: 's1' } }] },
        { env: [{ valueFrom: { secretKeyRef: { name: 's4' } } }] },
      ],
      initContainers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'c4' } } }] }],
    };
    const expected = [
      ...['c1', 'c2', 'c3', 'c4'].map((name) => `ConfigMap/${name}`),
      'PersistentVolumeClaim/v1',
      ...['pull', 's1', 's2', 's3', 's4'].map((name) => `Secret/${name}`),
      'ServiceAccount/robot',
    ];
    for (const kind of ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job']) {
      assert.deepEqual(names(kind, templated(podSpec)), expected);
    }
    assert.deepEqual(names('Pod', { metadata: {}, spec: podSpec }), expected);
    const cron = { metadata: {}, spec: { jobTemplate: { spec: { template: { spec: podSpec } } } } };
    assert.deepEqual(names('CronJob', cron), expected);
  });

  it('leave out the default account and claims that a set makes itself', () => {
    const podSpec = {
      serviceAccountName: 'default',
      volumes: [{ persistentVolumeClaim: { claimName: 'own' } }],
    };
    const spec = { volumeClaimTemplates: [{ metadata: { name: 'own' } }] };
    assert.deepEqual(names('StatefulSet', templated(podSpec, spec)), []);
  });

  it('are the certificates of an Ingress', () => {
    const spec = { tls: [{ secretName: 'cert' }, {}] };
    assert.deepEqual(names('Ingress', { metadata: { namespace: 'ns' }, spec }), ['Secret/cert']);
  });
});

describe('an interpreter', () => {
  it('knows only the name of other kinds', () => {
    assert.deepEqual(interpreter.of('example.com/v1', 'Thing'), {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
    });
  });

  it('lets a later word replace only the parts that it gives', () => {
    const custom = { apiVersion: 'apps/v1', kind: 'Deployment', health: () => 'Unknown' as const };
    const mixed = createInterpreter([...nativeKinds, custom]).of('apps/v1', 'Deployment');
    assert.equal(mixed.health?.({}), 'Unknown');
    assert.deepEqual(mixed.demand?.(templated({}, { replicas: 2 })), { replicas: 2 });
  });
});
