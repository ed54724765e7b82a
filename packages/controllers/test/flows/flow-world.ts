import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { dataOperationsController } from '@perigee/controllers/flows/data-operations-controller';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Metrics } from '@perigee/kube/observe/metrics';
import { Job } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { Operation, OperationKindName } from '@perigee/scheduling/flows/operation';
import { OPERATION_KINDS } from '@perigee/scheduling/flows/operation';
import type { MoverSettings } from '@perigee/scheduling/flows/render-mover-job';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { dependenciesController } from '../../src/placement/dependencies/dependencies-controller.ts';
import { type FederationOptions, startFederation } from '../support/federation.ts';

const interpreter = createInterpreter(nativeKinds);

const SPECS: { readonly [kind in OperationKindName]: object } = {
  DataLoad: { dataset: { name: 'raw' } },
  DataMigrate: {
    from: { externalStorage: { uri: 'pvc://nas/raw' } },
    to: { dataset: { name: 'raw' } },
  },
  DataBackup: { dataset: 'raw', backupPath: 'pvc://backups/raw' },
  DataProcess: {
    dataset: { name: 'raw', mountPath: '/data' },
    processor: { script: { command: ['sh'], source: 'ls /data', image: 'busybox' } },
  },
};

const kindNamed = (name: string) => {
  const kind = OPERATION_KINDS.find((one) => one.kind === name);
  if (kind === undefined) throw new Error(`there is no operation ${name}`);
  return kind;
};

/** The outcomes of a Job in a member. */
const ENDS = {
  complete: { type: 'Complete', reason: 'CompletionsReached' },
  failed: { type: 'Failed', reason: 'BackoffLimitExceeded' },
} as const;

export interface FlowWorldOptions {
  readonly members?: readonly string[];
  readonly reach?: FederationOptions['reach'];
  /** Controllers that run beside those of operations. */
  readonly metrics?: Metrics;
  readonly mover?: MoverSettings;
  readonly further?: (client: Client, clock: Clock) => readonly ControllerDefinition[];
}

/**
 * A control plane that leads operations, places their Jobs and carries them to members, in which a test says what
 * becomes of each Job. Members really run pods unless told otherwise.
 */
export const startFlowWorld = async ({
  members = ['m1'],
  reach,
  further = () => [],
  metrics,
  mover,
}: FlowWorldOptions = {}) => {
  const clock = new VirtualClock();
  const world = await startFederation({
    members,
    clock,
    interpreter,
    ...(reach && { reach }),
    further: (_, client) => [
      detectorController({ client, clock, interpreter }),
      dependenciesController({ client, clock }),
      schedulerController(BINDING_KINDS[0]),
      dataOperationsController({
        interpreter,
        ...(metrics && { metrics }),
        ...(mover && { mover }),
      }),
      ...further(client, clock),
    ],
  });
  for (const name of members) {
    const apiEnablements = [
      { groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] },
      { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    ];
    const resourceSummary = { allocatable: { cpu: '100', memory: '100Gi', pods: '110' } };
    const body = { status: { apiEnablements, resourceSummary } };
    const subresource = 'status';
    await world.client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource });
  }
  const here = (name: string) => ({ namespace: 'default', name });
  const jobsIn = async (member: string): Promise<readonly Job[]> =>
    (await world.member(member).admin.list(Job, { namespace: 'default' })).items;
  /** The Job of an operation in a member. */
  const jobOf = async (member: string, name: string): Promise<Job | undefined> =>
    (await jobsIn(member)).find(({ metadata }) => metadata.name.startsWith(`${name}-`));
  /** Has a member say how the Job of an operation is doing. */
  const report = async (
    member: string,
    name: string,
    state: 'active' | keyof typeof ENDS,
    operation: object | undefined = undefined,
  ): Promise<void> => {
    const job = (await jobsIn(member)).find(({ metadata }) => metadata.name.startsWith(`${name}-`));
    if (job === undefined) throw new Error(`${member} has no Job of ${name}`);
    const now = new Date(clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
    const end = state === 'active' ? undefined : ENDS[state];
    const conditions = end && [
      { ...end, status: 'True', message: 'as the test says', lastTransitionTime: now },
    ];
    const status = {
      active: end === undefined ? 1 : 0,
      startTime: job.status?.startTime ?? now,
      ...(state === 'complete' ? { completionTime: now } : {}),
      ...(conditions && { conditions }),
      ...(operation && { operation }),
    };
    const { namespace = '', name: jobName } = job.metadata;
    await world
      .member(member)
      .admin.patch(
        Job,
        { namespace, name: jobName },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      );
    await world.settle();
  };
  /** Has the pod of a Job say something, at which the Job is as told. */
  const reportLine = async (
    cluster: string,
    name: string,
    line: object,
    state: 'active' | 'complete' | 'failed',
  ): Promise<void> => {
    const member = world.member(cluster);
    const job = await jobOf(cluster, name);
    if (job === undefined) throw new Error(`${cluster} has no Job ${name}`);
    const { selector, template } = job.spec as never as {
      selector: { matchLabels: object };
      template: { spec: object; metadata: { labels: object } };
    };
    const labels = { ...template.metadata.labels, ...selector.matchLabels };
    const ref = here(`${job.metadata.name.slice(0, 50)}-pod`);
    const spec = { ...template.spec, nodeName: 'node-1' };
    await member.admin.create(Pod, { metadata: { ...ref, labels }, spec } as never);
    const text = JSON.stringify(line);
    const at = new Date(clock.now()).toISOString();
    const exitCode = state === 'failed' ? 22 : 0;
    const terminated = { exitCode, startedAt: at, finishedAt: at, message: text };
    const container = { name: 'mover', image: 'm', imageID: '', ready: true, restartCount: 0 };
    const now = state === 'active' ? { running: { startedAt: at } } : { terminated };
    const phase = { active: 'Running', complete: 'Succeeded', failed: 'Failed' }[state];
    const status = { phase, containerStatuses: [{ ...container, state: now }] };
    const patch = { type: 'merge', body: { status } } as const;
    await member.admin.patch(Pod, ref, patch, { subresource: 'status' });
    using _ = member.logs.serve(async function* () {
      yield Buffer.from(`${text}\n`);
    });
    await report(cluster, name, state);
    await clock.advance(3000);
    await world.settle();
  };
  return {
    ...world,
    dataset: (name = 'raw') =>
      world.client.create(Dataset, {
        metadata: here(name),
        spec: { mounts: [{ mountPoint: 'local:///data' }] },
      }),
    create: (kind: OperationKindName, name: string, spec: object = {}, metadata: object = {}) =>
      world.client.create(kindNamed(kind), {
        metadata: { ...here(name), ...metadata },
        spec: { ...SPECS[kind], ...spec },
      } as never),
    get: (kind: OperationKindName, name: string): Promise<Operation> =>
      world.client.get(kindNamed(kind), here(name)),
    change: (kind: OperationKindName, name: string, body: object) =>
      world.client.patch(kindNamed(kind), here(name), { type: 'merge', body }),
    /** Writes a phase past the controller. */
    setPhase: async (kind: OperationKindName, name: string, phase: string): Promise<void> => {
      const patch = { type: 'merge', body: { status: { phase } } } as const;
      await world.client.patch(kindNamed(kind), here(name), patch, { subresource: 'status' });
    },
    remove: (kind: OperationKindName, name: string) =>
      world.client.delete(kindNamed(kind), here(name)),
    /** `Pending WaitingForOperation`, or whatever is said of an operation now. */
    state: async (kind: OperationKindName, name: string): Promise<string> => {
      const { status } = await world.client.get(kindNamed(kind), here(name));
      const [end] = status?.conditions ?? [];
      return [status?.phase ?? '', end?.reason].filter(Boolean).join(' ');
    },
    jobsIn,
    job: jobOf,
    report,
    reportLine,
    /** Has a member only play pods, or run them as processes. */
    setPods: (name: string, pods: 'played' | 'processes') =>
      world.client.patch(
        MemberCluster,
        { name },
        { type: 'merge', body: { metadata: { annotations: { 'member.perigee.io/pods': pods } } } },
      ),
    bindings: async () =>
      (await world.client.list(ResourceBinding, { namespace: 'default' })).items.filter(
        ({ spec }) => spec.resource.kind === 'Job',
      ),
    templates: async () => (await world.client.list(Job, { namespace: 'default' })).items,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
};
