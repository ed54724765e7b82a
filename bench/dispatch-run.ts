import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { gateController } from '@perigee/controllers/gate/gate-controller';
import { ensureDefaultQueues } from '@perigee/controllers/queues/default-queues';
import { dispatcherController } from '@perigee/controllers/queues/dispatcher-controller';
import type { Client } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Job } from '@perigee/kubernetes/batch/job';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { reservationOf } from '@perigee/scheduling/placement/binding/queue-marks';
import type { ClassWaits, DispatchOrder, DispatchResult, JobClass } from './dispatch-protocol.ts';

const logger = createLogger({ clock, level: 'error' });
const AT_ONCE = 400;
const CHECK_EVERY_MS = 20;
const CLUSTER = 'm0';

/** A job of the run: which class it is of, and what became of it. */
interface Played {
  readonly of: JobClass;
  readonly cohort: number;
  readonly queue: string;
  readonly dueMs: number;
  createdMs: number;
  isReleased: boolean;
}

const queueName = (cohort: number, queue: number): string => `cohort-${cohort}-${queue}`;

const fill = async (client: Client, order: DispatchOrder): Promise<void> => {
  const { cohorts, queues, nominal, borrowing, classes } = order;
  await ensureDefaultQueues(client);
  for (const { name, priority } of classes) {
    await client.create(PriorityClass, { metadata: { name }, value: priority });
  }
  const cluster = await client.create(MemberCluster, {
    metadata: { name: CLUSTER },
    spec: { syncMode: 'Push' },
  });
  await patchStatus(client, MemberCluster, cluster, {
    apiEnablements: [{ groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] }],
    resourceSummary: { allocatable: { cpu: '10000000', pods: '10000000' } },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'ClusterReady',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  });
  for (let cohort = 0; cohort < cohorts; cohort += 1) {
    const all = { cpu: String(nominal * queues) };
    await client.create(Queue, {
      metadata: { name: `cohort-${cohort}` },
      spec: { capability: all },
    } as never);
    const creations = Array.from({ length: queues }, (_, queue) =>
      client.create(Queue, {
        metadata: { name: queueName(cohort, queue) },
        spec: {
          parent: `cohort-${cohort}`,
          deserved: { cpu: String(nominal) },
          capability: { cpu: String(Math.min(nominal + borrowing, nominal * queues)) },
        },
      } as never),
    );
    await Promise.all(creations);
  }
};

const planJobs = ({ cohorts, queues, classes }: DispatchOrder): ReadonlyMap<string, Played> => {
  const jobs: [string, Played][] = [];
  for (let cohort = 0; cohort < cohorts; cohort += 1) {
    for (let at = 0; at < queues; at += 1) {
      const queue = queueName(cohort, at);
      for (const of of classes) {
        for (let number = 0; number < of.count; number += 1) {
          const dueMs = number * of.everyMs;
          const played = { of, cohort, queue, dueMs, createdMs: 0, isReleased: false };
          jobs.push([`${queue}-${of.name}-${number}`, played]);
        }
      }
    }
  }
  return new Map(jobs.sort(([, a], [, b]) => a.dueMs - b.dueMs));
};

/** The job, and its binding as a detector writes it. */
const create = async (client: Client, name: string, { of, queue }: Played): Promise<void> => {
  const namespace = 'default';
  const cpu = String(of.cpu);
  const containers = [{ name: 'main', image: 'app', resources: { requests: { cpu } } }];
  await client.create(Job, {
    metadata: { namespace, name, labels: { 'volcano.sh/queue-name': queue } },
    spec: {
      template: { spec: { restartPolicy: 'Never', priorityClassName: of.name, containers } },
    },
  } as never);
  await client.create(ResourceBinding, {
    metadata: { namespace, name: `${name}-job` },
    spec: {
      resource: { apiVersion: 'batch/v1', kind: 'Job', namespace, name },
      replicas: 1,
      replicaRequirements: { resourceRequest: { cpu } },
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Aggregated',
        },
      },
    },
  } as never);
};

const ENDED = {
  aggregatedStatus: [
    { clusterName: CLUSTER, status: { conditions: [{ type: 'Complete', status: 'True' }] } },
  ],
};

/** Plays the jobs: creates them when they are due, and ends each its time after it was let through. */
class Play {
  readonly #client: Client;
  readonly #order: DispatchOrder;
  readonly #jobs: ReadonlyMap<string, Played>;
  readonly #waits = new Map<string, number[]>();
  readonly #used: number[];
  #open = 0;
  #ended = 0;
  fullest = 0;

  constructor(client: Client, order: DispatchOrder) {
    this.#client = client;
    this.#order = order;
    this.#jobs = planJobs(order);
    this.#used = new Array(order.cohorts).fill(0);
  }

  async run(): Promise<number> {
    const stop = new AbortController();
    const following = this.#follow(stop.signal).catch(() => {});
    const startMs = performance.now();
    for (const [name, job] of this.#jobs) {
      const restMs = job.dueMs - (performance.now() - startMs);
      if (restMs > 0) await clock.sleep(restMs);
      while (this.#open >= AT_ONCE) await clock.sleep(1);
      this.#open += 1;
      job.createdMs = performance.now();
      void create(this.#client, name, job).finally(() => {
        this.#open -= 1;
      });
    }
    while (this.#ended < this.#jobs.size) await clock.sleep(CHECK_EVERY_MS);
    const seconds = (performance.now() - startMs) / 1000;
    stop.abort();
    await following;
    return seconds;
  }

  waits(): readonly ClassWaits[] {
    return [...this.#waits].map(([name, waits]) => {
      const sortedWaits = waits.toSorted((a, b) => a - b);
      const at = (part: number) => sortedWaits[Math.floor((sortedWaits.length - 1) * part)] ?? 0;
      return { name, p50Ms: at(0.5), p99Ms: at(0.99) };
    });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const { type, object } of this.#client.watch(ResourceBinding, { signal })) {
      if (type === 'BOOKMARK') continue;
      const { metadata } = object as ResourceBinding;
      const job = this.#jobs.get(metadata.name.slice(0, -'-job'.length));
      if (job === undefined || job.isReleased || reservationOf(metadata) === undefined) continue;
      job.isReleased = true;
      const waits = this.#waits.get(job.of.name) ?? [];
      this.#waits.set(job.of.name, waits);
      waits.push(performance.now() - job.createdMs);
      this.#count(job, job.of.cpu);
      void this.#end(metadata.name, job);
    }
  }

  async #end(name: string, job: Played): Promise<void> {
    await clock.sleep(job.of.runMs);
    this.#count(job, -job.of.cpu);
    const ref = { metadata: { namespace: 'default', name } };
    await patchStatus(this.#client, ResourceBinding, ref, ENDED);
    this.#ended += 1;
  }

  #count({ cohort }: Played, cpu: number): void {
    const usedCpu = (this.#used[cohort] ?? 0) + cpu;
    this.#used[cohort] = usedCpu;
    this.fullest = Math.max(this.fullest, usedCpu / (this.#order.nominal * this.#order.queues));
  }
}

process.on('message', async (order: DispatchOrder) => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'perigee-bench-'));
  try {
    await using server = await startEmbeddedServer({ clock, logger, dataFolder });
    const { client } = server;
    await fill(client, order);
    const controllers = [dispatcherController({ clock }), gateController()];
    await using manager = new Manager({ client, clock, logger, controllers });
    await manager.start();
    const play = new Play(client, order);
    const busy = process.cpuUsage();
    const seconds = await play.run();
    const { user, system } = process.cpuUsage(busy);
    const cpuSeconds = (user + system) / 1_000_000;
    const { fullest } = play;
    const result: DispatchResult = { seconds, cpuSeconds, waits: play.waits(), fullest };
    process.send?.(result);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
});
