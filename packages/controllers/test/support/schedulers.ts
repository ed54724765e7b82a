import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import { startScheduler } from '@perigee/controllers/clusters/scheduler-lifecycle/start-scheduler';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { addReadyCluster } from './bindings.ts';
import { type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
import { PausableProcess } from './pausable-process.ts';
import { shardingControllers } from './sharding-controllers.ts';

type Running = Awaited<ReturnType<typeof startScheduler>>;

/** Schedulers in this process, which can be made to fail. */
class TestSchedulers implements SchedulerProcesses {
  readonly running = new Map<string, Promise<Running>>();
  readonly crashed = new Set<string>();
  readonly processes = new Map<string, PausableProcess>();
  readonly ended: string[] = [];
  readonly #client: Client;
  readonly #clock: Clock;
  #started = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async start({ metadata: { name } }: Pick<Scheduler, 'metadata'>): Promise<void> {
    this.#run(name);
  }

  #run(name: string): void {
    if (this.running.has(name) || this.crashed.has(name)) return;
    const process = new PausableProcess(this.#client, this.#clock);
    this.processes.set(name, process);
    const { client, clock } = process;
    const logger = createLogger({ clock, level: 'error' });
    const identity = `${name}-${this.#started++}`;
    this.running.set(name, startScheduler({ name, client, clock, logger, identity }));
  }

  async stop(name: string): Promise<true> {
    const scheduler = this.running.get(name);
    this.running.delete(name);
    if (scheduler === undefined) return true;
    this.processes.get(name)?.resume();
    await (await scheduler).stop();
    this.ended.push(name);
    return true;
  }

  /** Stops it without giving its lease away, as a process does that is killed. */
  async crash(name: string, keepLease: () => Promise<void>): Promise<void> {
    this.crashed.add(name);
    await this.stop(name);
    await keepLease();
  }

  revive(name: string): void {
    this.crashed.delete(name);
    this.#run(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.running.keys()]) await this.stop(name);
  }
}

/** A control plane that shares clusters out among schedulers. */
export const startShardedPlane = async (
  options: Pick<ControlPlaneOptions, 'reach' | 'isQuiet'> = {},
) => {
  let processes: TestSchedulers | undefined;
  const plane = await startControlPlane({
    ...options,
    controllers: ({ client, clock }) => {
      processes = new TestSchedulers(client, clock);
      return [
        ...shardingControllers({ processes }),
        ...BINDING_KINDS.map((kind) => schedulerController(kind, { isDeputy: true })),
      ];
    },
  });
  const schedulers = processes as unknown as TestSchedulers;
  const { client, clock } = plane;
  return {
    ...plane,
    schedulers,
    addScheduler: (name: string) => client.create(Scheduler, { metadata: { name }, spec: {} }),
    deleteScheduler: (name: string) => client.delete(Scheduler, { name }),
    phaseOf: async (name: string) => (await client.get(Scheduler, { name })).status?.phase,
    desiredOf: async (name: string) =>
      (await client.get(Scheduler, { name })).status?.clusters?.desired ?? [],
    inUseOf: async (name: string) =>
      (await client.get(Scheduler, { name })).status?.clusters?.inUse ?? [],
    /** The home of each cluster, as the clusters say it. */
    homes: async () => {
      const { items } = await client.list(ClusterRecord);
      return Object.fromEntries(
        items.map(({ metadata, status }) => [metadata.name, status?.homeScheduler ?? '']),
      );
    },
    pass: (ms = 3000) => clock.advance(ms),
    [Symbol.asyncDispose]: async () => {
      await schedulers[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
    },
  };
};

/** A cluster in the inventory, and the target of that name that work can be sent to. */
export const addRecord = async (
  client: Client,
  name: string,
  { city = '', cpu = 8, ...spec }: { city?: string; cpu?: number; [field: string]: unknown } = {},
): Promise<void> => {
  await client.create(ClusterRecord, {
    metadata: { name },
    spec: {
      type: 'virtual',
      geoLocation: { country: 'US', city },
      cpuCapacity: cpu,
      ...spec,
    } as never,
  });
  await addReadyCluster(client, name);
};

export const addWork = (client: Client, name: string, spec: object = {}) =>
  client.create(ResourceBinding, {
    metadata: {
      namespace: 'default',
      name: `${name}-deployment`,
      labels: { 'propagationpolicy.karmada.io/permanent-id': 'p' },
      annotations: {
        'propagationpolicy.karmada.io/namespace': 'default',
        'propagationpolicy.karmada.io/name': 'p',
      },
    },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
      replicas: 2,
      schedulerName: 'default-scheduler',
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: { dynamicWeight: 'AvailableReplicas' },
        },
      },
      ...spec,
    } as never,
  });

export const workOf = async (client: Client, name: string) => {
  const ref = { namespace: 'default', name: `${name}-deployment` };
  const { spec, status } = await client.get(ResourceBinding, ref);
  const condition = status?.conditions?.find(({ type }) => type === 'Scheduled');
  return {
    scheduler: spec.schedulerName,
    clusters: (spec.clusters ?? []).map((cluster) => cluster.name),
    isScheduled: condition?.status === 'True',
  };
};
