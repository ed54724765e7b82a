import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInterpreter, frameworkKinds } from '@perigee/scheduling/interpreter/known-kinds';
import type { JsonObject } from '@perigee/schema/json';

const interpreter = createInterpreter(frameworkKinds);

const VERSIONS: { readonly [kind: string]: string } = {
  Job: 'batch.volcano.sh/v1alpha1',
  Workflow: 'argoproj.io/v1alpha1',
  SparkApplication: 'sparkoperator.k8s.io/v1beta2',
  FlinkDeployment: 'flink.apache.org/v1beta1',
  RayCluster: 'ray.io/v1',
  RayJob: 'ray.io/v1',
  RayService: 'ray.io/v1',
  PyTorchJob: 'kubeflow.org/v1',
  TFJob: 'kubeflow.org/v1',
  MPIJob: 'kubeflow.org/v2beta1',
  Notebook: 'kubeflow.org/v1',
};
const of = (kind: string) => interpreter.of(VERSIONS[kind] ?? '', kind);

const template = (cpu: string): JsonObject => ({
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] },
});
const part = (name: string, replicas: number, cpu: string) => ({
  name,
  replicas,
  replicaRequirements: { resourceRequest: { cpu } },
});

describe('the parts of framework workloads', () => {
  const cases: readonly (readonly [string, string, JsonObject, unknown])[] = [
    [
      'Job',
      'as many of each task as must run together',
      {
        tasks: [
          { name: 'ps', minAvailable: 2, template: template('1') },
          { template: template('2') },
        ],
      },
      [part('ps', 2, '1'), part('task-1', 1, '2')],
    ],
    [
      'SparkApplication',
      'memory with overhead, by the language',
      {
        type: 'Scala',
        driver: { cores: 2, memory: '8g' },
        executor: { instances: 3, memory: '1g', gpu: { name: 'nvidia.com/gpu', quantity: 1 } },
      },
      [
        {
          name: 'driver',
          replicas: 1,
          replicaRequirements: { resourceRequest: { cpu: '2', memory: '9012Mi' } },
        },
        {
          name: 'executor',
          replicas: 3,
          replicaRequirements: {
            resourceRequest: { cpu: '1', memory: '1408Mi', 'nvidia.com/gpu': '1' },
          },
        },
      ],
    ],
    [
      'SparkApplication',
      'dynamic allocation begins with the most that it needs',
      {
        type: 'Python',
        dynamicAllocation: { enabled: true, initialExecutors: 5, minExecutors: 2 },
      },
      [
        {
          name: 'driver',
          replicas: 1,
          replicaRequirements: { resourceRequest: { cpu: '1', memory: '1434Mi' } },
        },
        {
          name: 'executor',
          replicas: 5,
          replicaRequirements: { resourceRequest: { cpu: '1', memory: '1434Mi' } },
        },
      ],
    ],
    [
      'FlinkDeployment',
      'task managers by parallelism; upstream defect: 2048m is memory of a JVM, not two bytes',
      {
        jobManager: { resource: { cpu: 1, memory: '2048m' } },
        taskManager: { resource: { cpu: 0.5, memory: '1g' } },
        job: { parallelism: 5 },
        flinkConfiguration: { 'taskmanager.numberOfTaskSlots': '2' },
      },
      [
        {
          name: 'jobmanager',
          replicas: 1,
          replicaRequirements: { resourceRequest: { cpu: '1', memory: '2048Mi' } },
        },
        {
          name: 'taskmanager',
          replicas: 3,
          replicaRequirements: { resourceRequest: { cpu: '0.5', memory: '1024Mi' } },
        },
      ],
    ],
    [
      'RayCluster',
      'the head and groups of workers',
      {
        headGroupSpec: { template: template('1') },
        workerGroupSpecs: [
          { groupName: 'gpu', replicas: 2, template: template('4') },
          { template: template('1') },
        ],
      },
      [part('ray-head', 1, '1'), part('gpu', 2, '4'), part('worker-2', 0, '1')],
    ],
    [
      'RayJob',
      'its cluster',
      { rayClusterSpec: { headGroupSpec: { template: template('1') } } },
      [part('ray-head', 1, '1')],
    ],
    [
      'RayService',
      'its cluster',
      { rayClusterConfig: { headGroupSpec: { template: template('1') } } },
      [part('ray-head', 1, '1')],
    ],
    [
      'PyTorchJob',
      'master and workers',
      {
        pytorchReplicaSpecs: {
          Worker: { replicas: 3, template: template('2') },
          Master: { template: template('1') },
        },
      },
      [part('master', 1, '1'), part('worker', 3, '2')],
    ],
    [
      'TFJob',
      'roles in a fixed order',
      {
        tfReplicaSpecs: {
          Chief: { template: template('1') },
          PS: { replicas: 2, template: template('2') },
        },
      },
      [part('ps', 2, '2'), part('chief', 1, '1')],
    ],
    [
      'MPIJob',
      'no workers unless said',
      {
        mpiReplicaSpecs: {
          Worker: { template: template('1') },
          Launcher: { template: template('1') },
        },
      },
      [part('Launcher', 1, '1'), part('Worker', 0, '1')],
    ],
  ];
  for (const [kind, title, spec, expected] of cases) {
    it(`${kind}: ${title}`, () => {
      assert.deepEqual(of(kind).components?.({ metadata: {}, spec }), expected);
    });
  }

  it('a Workflow is counted by its parallelism, and a Notebook is one', () => {
    assert.deepEqual(of('Workflow').demand?.({ spec: { parallelism: 4 } }), { replicas: 4 });
    assert.deepEqual(of('Workflow').demand?.({ spec: {} }), { replicas: 1 });
    assert.deepEqual(of('Workflow').revise?.({ spec: {} }, 2), { spec: { parallelism: 2 } });
    assert.deepEqual(of('Notebook').demand?.({ spec: { template: template('1') } }), {
      replicas: 1,
      requirements: { resourceRequest: { cpu: '1' } },
    });
  });
});

describe('the health of framework workloads', () => {
  const holds = (...types: readonly string[]) => ({
    conditions: types.map((type) => ({ type, status: 'True' })),
  });
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    ['Job', { state: { phase: 'Running' } }, 'Healthy'],
    ['Job', { state: { phase: 'Failed' } }, 'Unhealthy'],
    ['Job', {}, 'Unhealthy'],
    ['Workflow', { phase: 'Running' }, 'Healthy'],
    ['Workflow', { phase: 'Error' }, 'Unhealthy'],
    ['SparkApplication', { applicationState: { state: 'RUNNING' } }, 'Healthy'],
    ['SparkApplication', { applicationState: { state: 'FAILED' } }, 'Unhealthy'],
    ['FlinkDeployment', { jobStatus: { state: 'RUNNING' } }, 'Healthy'],
    ['FlinkDeployment', { jobStatus: { state: 'CREATED' } }, 'Unhealthy'],
    ['FlinkDeployment', { jobStatus: { state: 'CREATED' }, error: 'ErrImagePull: x' }, 'Healthy'],
    [
      'FlinkDeployment',
      { jobManagerDeploymentStatus: 'READY', lifecycleState: 'STABLE' },
      'Healthy',
    ],
    ['RayCluster', holds('HeadPodReady', 'RayClusterProvisioned'), 'Healthy'],
    [
      'RayCluster',
      holds('HeadPodReady', 'RayClusterProvisioned', 'RayClusterReplicaFailure'),
      'Unhealthy',
    ],
    ['RayJob', { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' }, 'Healthy'],
    ['RayJob', { jobDeploymentStatus: 'Complete', jobStatus: 'FAILED' }, 'Unhealthy'],
    ['RayService', holds('Ready'), 'Healthy'],
    ['PyTorchJob', holds('Created', 'Running'), 'Healthy'],
    ['PyTorchJob', holds('Created', 'Failed'), 'Unhealthy'],
    ['TFJob', {}, 'Unhealthy'],
    ['MPIJob', holds('Succeeded'), 'Healthy'],
    ['Notebook', { containerState: { running: {} } }, 'Healthy'],
    ['Notebook', { containerState: { waiting: { reason: 'ImagePullBackOff' } } }, 'Unhealthy'],
    ['Notebook', { containerState: { terminated: { exitCode: 1 } } }, 'Unhealthy'],
  ];
  for (const [kind, status, expected] of cases) {
    it(`${kind} with ${JSON.stringify(status)} is ${expected}`, () => {
      assert.equal(of(kind).health?.({ status }), expected);
    });
  }
});

describe('one status for several clusters', () => {
  const aggregate = (kind: string, ...statuses: readonly JsonObject[]) =>
    of(kind).aggregate?.(
      { metadata: {} },
      statuses.map((status, at) => ({ clusterName: String(at), status })) as never,
    )?.status;

  it('is the only one, as it is', () => {
    assert.deepEqual(aggregate('Job', { state: { phase: 'Running' }, running: 2 }), {
      state: { phase: 'Running' },
      running: 2,
    });
  });

  it('is the one that matters most, with the numbers of all', () => {
    const status = aggregate(
      'PyTorchJob',
      {
        conditions: [{ type: 'Succeeded', status: 'True' }],
        replicaStatuses: { Worker: { succeeded: 2 } },
      },
      {
        conditions: [{ type: 'Failed', status: 'True' }],
        replicaStatuses: { Worker: { succeeded: 1 } },
      },
    );
    assert.deepEqual(status, {
      conditions: [{ type: 'Failed', status: 'True' }],
      replicaStatuses: { Worker: { succeeded: 3 } },
    });
  });
});
