import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { admit } from '../../../src/kind/admit.ts';
import { Job } from '../../../src/kinds/groups/job.ts';

const specOf = (text: string) => admit(Job, parse(text)).object.spec;

const WEB = `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: web, namespace: shop}
spec:
  minAvailable: 3
  schedulerName: volcano
  policies:
    - {event: PodEvicted, action: RestartJob}
  plugins:
    ssh: []
    env: []
    svc: ["--publish-not-ready-addresses=false"]
  maxRetry: 5
  queue: default
  volumes:
    - mountPath: /in
      volumeClaimName: input
    - mountPath: /out
      volumeClaim:
        accessModes: [ReadWriteOnce]
        storageClassName: fast
        resources: {requests: {storage: 1Gi}}
        volumeMode: Filesystem
  tasks:
    - name: nginx
      replicas: 6
      template:
        metadata: {name: web, creationTimestamp: null, labels: {app: web}}
        spec:
          containers:
            - name: nginx
              image: nginx
              imagePullPolicy: IfNotPresent
              ports: [{containerPort: 80}]
              livenessProbe: {httpGet: {path: /, port: 80}}
              resources: {requests: {cpu: "1"}}
          restartPolicy: OnFailure
          topologySpreadConstraints: []
`;

const EVERYTHING = `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: shop}
spec:
  schedulerName: volcano
  minAvailable: 3
  minSuccess: 4
  queue: research
  priorityClassName: high
  maxRetry: 2
  ttlSecondsAfterFinished: 0
  runningEstimate: 1h30m
  networkTopology: {mode: soft, highestTierName: rack}
  plugins: {pytorch: ["--master=master", "--worker=worker"], svc: []}
  policies:
    - {events: [PodFailed, PodEvicted], action: RestartTask, timeout: 10s}
    - {exitCode: 137, action: TerminateJob}
  volumes: []
  tasks:
    - name: master
      replicas: 1
      minAvailable: 1
      maxRetry: 1
      topologyPolicy: single-numa-node
      policies: [{event: TaskCompleted, action: CompleteJob}]
      template:
        spec:
          containers: [{name: main, image: torch, resources: {limits: {cpu: 2}}}]
          initContainers: [{name: init, image: torch, resources: {requests: {cpu: 2000m}}}]
    - name: worker
      replicas: 4
      minAvailable: 2
      maxRetry: 3
      dependsOn: {name: [master], iteration: any}
      partitionPolicy:
        totalPartitions: 2
        partitionSize: 2
        minPartitions: 1
        networkTopology: {mode: hard, highestTierAllowed: 1}
      template:
        spec:
          containers: [{name: main, image: torch}]
status:
  state:
    phase: Running
    reason: Started
    message: all pods run
    lastTransitionTime: "2025-06-01T10:00:00Z"
  conditions: [{status: Pending, lastTransitionTime: "2025-06-01T09:00:00Z"}, {status: Running}]
  minAvailable: 3
  taskStatusCount: {master: {phase: {Running: 1}}, worker: {phase: {Pending: 1, Running: 3}}}
  pending: 1
  running: 4
  succeeded: 0
  failed: 0
  terminating: 0
  unknown: 0
  version: 1
  retryCount: 1
  runningDuration: 10m0s
  controlledResources: {plugin-svc: svc}
`;

const task = (fields: string) =>
  `{template: {spec: {containers: [{name: a, image: b}]}}, ${fields}}`;

const job = (spec: string, ...tasks: readonly string[]) => `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: sum, namespace: shop}
spec: {${spec === '' ? '' : `${spec}, `}tasks: [${tasks.join(', ')}]}
`;

describe('a Job of Volcano', () => {
  it('is kept as it is, with the defaults of its parts', () => {
    const { spec } = parse(WEB);
    const [nginx] = spec.tasks;
    const [container] = nginx.template.spec.containers;
    const ports = [{ containerPort: 80, protocol: 'TCP' }];
    const pod = { ...nginx.template.spec, containers: [{ ...container, ports }] };
    assert.deepEqual(specOf(WEB), {
      ...spec,
      tasks: [
        { ...nginx, minAvailable: 6, maxRetry: 3, template: { ...nginx.template, spec: pod } },
      ],
    });
  });

  it('has every field', () => {
    const { spec, status } = admit(Job, parse(EVERYTHING)).object;
    const input = parse(EVERYTHING);
    assert.deepEqual({ spec, status }, { spec: input.spec, status: input.status });
  });

  it('keeps the fields of a pod that nobody here knows', () => {
    const text = job(
      '',
      '{template: {spec: {hostPID: true, containers: [{name: a, image: b, tty: true}]}}}',
    );
    const { spec } = specOf(text).tasks[0]?.template ?? {};
    assert.deepEqual(spec, { hostPID: true, containers: [{ name: 'a', image: 'b', tty: true }] });
  });
});

describe('what a Job leaves out', () => {
  it('is filled in', () => {
    const { tasks, ...spec } = specOf(job('', task('replicas: 2'), task('')));
    assert.deepEqual(spec, {
      minAvailable: 2,
      queue: 'default',
      schedulerName: 'volcano',
      maxRetry: 3,
    });
    assert.deepEqual(
      tasks.map(({ template: _, ...rest }) => rest),
      [
        { name: 'default0', replicas: 2, minAvailable: 2, maxRetry: 3 },
        { name: 'default1', replicas: 0, minAvailable: 0, maxRetry: 3 },
      ],
    );
  });

  it('may be written as zero or as nothing', () => {
    const { tasks, ...spec } = specOf(
      job(
        'minAvailable: 0, maxRetry: 0, queue: "", schedulerName: ""',
        task('name: "", maxRetry: 0, replicas: 1'),
      ),
    );
    assert.deepEqual(spec, {
      minAvailable: 1,
      queue: 'default',
      schedulerName: 'volcano',
      maxRetry: 3,
    });
    assert.equal(tasks[0]?.name, 'default0');
    assert.equal(tasks[0]?.maxRetry, 3);
  });

  it('counts the least that tasks need', () => {
    const { minAvailable, tasks } = specOf(
      job(
        '',
        task('replicas: 5, minAvailable: 0'),
        task(
          'replicas: 6, partitionPolicy: {totalPartitions: 3, partitionSize: 2, minPartitions: 2}',
        ),
        task('replicas: 4, partitionPolicy: {totalPartitions: 2, partitionSize: 2}'),
      ),
    );
    assert.deepEqual(
      tasks.map((one) => one.minAvailable),
      [0, 4, 4],
    );
    assert.equal(minAvailable, 8);
  });

  it('includes the plugins that others need', () => {
    const pluginsOf = (plugins: string) =>
      specOf(job(`plugins: ${plugins}`, task('name: master'))).plugins;
    assert.deepEqual(pluginsOf('{tensorflow: []}'), { tensorflow: [], svc: [] });
    assert.deepEqual(pluginsOf('{pytorch: []}'), { pytorch: [], svc: [] });
    assert.deepEqual(pluginsOf('{ray: []}'), { ray: [], svc: [] });
    assert.deepEqual(pluginsOf('{mpi: []}'), { mpi: [], svc: [], ssh: [] });
    assert.deepEqual(pluginsOf('{mpi: [], svc: [-x], ssh: [-y]}'), {
      mpi: [],
      svc: ['-x'],
      ssh: ['-y'],
    });
    assert.deepEqual(pluginsOf('{env: []}'), { env: [] });
  });

  it('includes how a pod on the network of its node finds services', () => {
    const dnsOf = (fields: string) =>
      specOf(job('', `{template: {spec: {${fields}, containers: [{name: a, image: b}]}}}`)).tasks[0]
        ?.template.spec.dnsPolicy;
    assert.equal(dnsOf('hostNetwork: true'), 'ClusterFirstWithHostNet');
    assert.equal(dnsOf('hostNetwork: true, dnsPolicy: Default'), 'Default');
    assert.equal(dnsOf('hostNetwork: false'), undefined);
  });
});
