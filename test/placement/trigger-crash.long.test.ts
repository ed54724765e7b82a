import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { openFolder, spawnUp } from './perigee-process.ts';

const ROUNDS = Number(process.env.PERIGEE_CRASH_ROUNDS ?? 3);
const SEED = Number(process.env.PERIGEE_SEED ?? 1);
const WORKS = 40;
const LATEST_KILL_MS = 1500;
const PATIENCE_MS = 120_000;

const connect = async (folder: string) => {
  const config = await loadClusterConfig({
    env: {},
    clock,
    interactive: false,
    logger: { warn: () => {} },
    kubeconfig: join(folder, 'kubeconfig'),
  });
  return createHttpClient(config, { clock, retry: { attempts: 1 } });
};

const createWorks = async (client: Client): Promise<void> => {
  const selector = { apiVersion: 'apps/v1', kind: 'Deployment' };
  await client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name: 'p' },
    spec: {
      resourceSelectors: [selector],
      placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } },
    },
  });
  for (let index = 0; index < WORKS; index += 1) {
    const labels = { app: `w${index}` };
    await client.create(Deployment, {
      metadata: { namespace: 'default', name: `w${index}` },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'c', image: 'nginx' }] },
        },
      },
    } as never);
  }
};

const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const limit = clock.monotonic() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(clock.monotonic() < limit, what);
    await clock.sleep(100);
  }
};

test(`${ROUNDS} triggers that are killed again and again ask for each workload once`, async (t) => {
  const random = seededRandom(SEED);
  using folder = openFolder();
  const up = () => spawnUp(folder.path, '--port', '0', '--members', '2');
  let running = up();
  await running.ready;
  try {
    let client = await connect(folder.path);
    await createWorks(client);
    const bindings = async () => (await client.list(ResourceBinding)).items;
    await until('all work is scheduled', async () => {
      const all = await bindings();
      return all.length === WORKS && all.every(({ status }) => status?.lastScheduledTime);
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      const name = `round-${round}`;
      const before = new Map(
        (await bindings()).map(({ metadata, spec }) => [
          metadata.name,
          spec.rescheduleTriggeredAt ?? '',
        ]),
      );
      const stamps = new Map<string, Set<string>>();
      const look = async (): Promise<void> => {
        for (const { metadata, spec } of await bindings()) {
          const { rescheduleTriggeredAt: at = '' } = spec;
          if (at === before.get(metadata.name)) continue;
          stamps.set(metadata.name, (stamps.get(metadata.name) ?? new Set()).add(at));
        }
      };
      await client.create(ScheduleTrigger, {
        metadata: { name },
        spec: { targetRefPolicy: [{ namespace: 'default', name: 'p' }], maxPerMinute: 600 },
      });
      const phase = async () => (await client.get(ScheduleTrigger, { name })).status?.phase;
      let kills = 0;
      for (; kills < 5 && (await phase()) !== 'Success'; kills += 1) {
        await clock.sleep(Math.floor(random() * LATEST_KILL_MS));
        await look();
        await running.kill();
        await client[Symbol.asyncDispose]();
        running = up();
        await running.ready;
        client = await connect(folder.path);
        await look();
      }
      await until(`${name} succeeds`, async () => {
        await look();
        return (await phase()) === 'Success';
      });
      const { status } = await client.get(ScheduleTrigger, { name });
      assert.equal(status?.counts?.total, WORKS);
      assert.equal(stamps.size, WORKS, 'none is lost');
      for (const [binding, seen] of stamps) assert.equal(seen.size, 1, `${binding}: asked twice`);
      t.diagnostic(`${name}: ${kills} kills`);
    }
    await client[Symbol.asyncDispose]();
  } finally {
    await running[Symbol.asyncDispose]();
  }
});
