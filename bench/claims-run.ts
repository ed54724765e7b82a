import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { dataPlacementController } from '@perigee/controllers/data/data-placement-controller';
import { dataSchedulerController } from '@perigee/controllers/data/data-scheduler-controller';
import { dataSourceController } from '@perigee/controllers/data/data-source-controller';
import { gateController } from '@perigee/controllers/gate/gate-controller';
import type { Client } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { decisionRates } from './claims-decisions.ts';
import type { ClaimsOrder, ClaimsResult } from './claims-protocol.ts';
import { bindingObject, clusterObject } from './scheduler-objects.ts';

const logger = createLogger({ clock, level: 'error' });
const AT_ONCE = 200;
const CHECK_EVERY_MS = 20;
/** When nothing has been written for so long, all is done. */
const QUIET_MS = 1000;
const CLUSTERS_PER_SOURCE = 10;
const WORKLOADS = 100;

const inBatches = async (count: number, work: (at: number) => Promise<unknown>): Promise<void> => {
  const all = Array.from({ length: count }, (_, at) => at);
  while (all.length > 0) await Promise.all(all.splice(0, AT_ONCE).map(work));
};

const addCluster = async (client: Client, at: number): Promise<void> => {
  const { status, ...cluster } = clusterObject(at, false);
  const member = await client.create(MemberCluster, cluster as never);
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'ClusterReady',
    message: '',
    lastTransitionTime,
  };
  await patchStatus(client, MemberCluster, member, { ...status, conditions: [ready] });
};

const fill = async (client: Client, { clusters, sources, claims }: ClaimsOrder): Promise<void> => {
  await inBatches(clusters, (at) => addCluster(client, at));
  await inBatches(sources, (at) =>
    client.create(DataSource, {
      metadata: { name: `s${at}` },
      spec: {
        system: 'hive',
        type: 'table',
        name: `db.t${at}`,
        locality: {
          clusterNames: Array.from(
            { length: CLUSTERS_PER_SOURCE },
            (_, step) => `m${(at + step * 7) % clusters}`,
          ),
        },
        reclaimPolicy: 'Retain',
      },
    }),
  );
  await inBatches(claims, (at) =>
    client.create(DataSourceClaim, {
      metadata: { namespace: 'default', name: `c${at}` },
      spec: {
        system: 'hive',
        dataSourceType: 'table',
        dataSourceName: `db.t${at % sources}`,
        workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: `w${at}` },
      },
    }),
  );
};

/** Counts what is written, and which claims are bound. */
class Writes {
  readonly bound = new Set<string>();
  count = 0;
  lastMs = performance.now();

  async follow(client: Client, kind: ResourceKind, signal: AbortSignal): Promise<void> {
    for await (const { type, object } of client.watch(kind, { signal })) {
      if (type === 'BOOKMARK') continue;
      this.count += 1;
      this.lastMs = performance.now();
      const claim = object as DataSourceClaim;
      if (kind === DataSourceClaim && claim.status?.phase === 'Bound') {
        this.bound.add(claim.metadata.name);
      }
    }
  }

  /** Number of writes that a cause leads to, and the processor time that they take. */
  async because(cause: () => Promise<unknown>): Promise<{ count: number; busyMs: number }> {
    await this.#quiet();
    const { count } = this;
    const busy = process.cpuUsage();
    await cause();
    await this.#quiet();
    const { user, system } = process.cpuUsage(busy);
    return { count: this.count - count, busyMs: (user + system) / 1000 };
  }

  async #quiet(): Promise<void> {
    this.lastMs = performance.now();
    while (performance.now() - this.lastMs < QUIET_MS) await clock.sleep(CHECK_EVERY_MS);
  }
}

const KINDS: readonly ResourceKind[] = [DataSource, DataSourceClaim, ResourceBinding];

const measure = async (client: Client, order: ClaimsOrder) => {
  const stop = new AbortController();
  const writes = new Writes();
  const following = KINDS.map((kind) => writes.follow(client, kind, stop.signal).catch(() => {}));
  await using manager = new Manager({
    client,
    clock,
    logger,
    controllers: [
      dataSchedulerController(),
      dataSourceController(),
      dataPlacementController({ client, clock }),
      gateController(),
    ],
  });
  const before = performance.now();
  await manager.start();
  while (writes.bound.size < order.claims) await clock.sleep(CHECK_EVERY_MS);
  const boundPerSecond = (order.claims / (performance.now() - before)) * 1000;
  // Those of the first source, and others.
  await inBatches(WORKLOADS, (at) => {
    const isOfFirst = at * order.sources < order.claims;
    const work = bindingObject(isOfFirst ? at * order.sources : at);
    return client.create(ResourceBinding, work as never);
  });
  const move = await writes.because(() => {
    const body = { spec: { locality: { clusterNames: ['m1', 'm2'] } } };
    return client.patch(DataSource, { name: 's0' }, { type: 'merge', body });
  });
  const join = await writes.because(() => addCluster(client, order.clusters));
  stop.abort();
  await Promise.all(following);
  // The first is the change itself.
  return {
    boundPerSecond,
    writesOfMove: move.count - 1,
    writesOfJoin: join.count,
    joinMs: join.busyMs,
  };
};

process.on('message', async (order: ClaimsOrder) => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'perigee-bench-'));
  try {
    await using server = await startEmbeddedServer({ clock, logger, dataFolder });
    await fill(server.client, order);
    const measurements = await measure(server.client, order);
    const result: ClaimsResult = { ...measurements, ...decisionRates(order.clusters) };
    process.send?.(result);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
});
