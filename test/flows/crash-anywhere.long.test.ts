import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Job } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import { detectIsolation } from '@perigee/member/isolation/detect-isolation';
import { OPERATION_KINDS, type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { openFolder, startUp } from '../placement/perigee-process.ts';

const isolation = await detectIsolation();
const skip = isolation.kind !== 'namespaces' && (isolation.reason ?? 'no namespaces');

const BYTES = 64 * 1024 * 1024;
const KILLS = 3;
const LONGEST_MS = 240_000;
const LOOK_EVERY_MS = 25;

/** The same moments in every run; `PERIGEE_SEED=4711` tries others. */
const chance = (() => {
  let state = Number(process.env.PERIGEE_SEED ?? 20_261_115) >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
})();

const digestOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');

const processStep = (name: string, after: object, source: string) => ({
  kind: 'DataProcess',
  metadata: { namespace: 'default', name },
  spec: {
    runAfter: after,
    dataset: { name: 'raw', mountPath: '/data' },
    processor: { script: { image: 'none', command: ['sh'], source } },
  },
});

const stepsOf = (host: string): readonly object[] => [
  {
    kind: 'DataLoad',
    metadata: { namespace: 'default', name: 'bring' },
    spec: { dataset: { name: 'raw' } },
  },
  processStep('count', { kind: 'DataLoad', name: 'bring' }, 'wc -c < /data/in/big > /data/count'),
  processStep('copy', { kind: 'DataProcess', name: 'count' }, 'cp /data/count /data/copy'),
  {
    kind: 'DataBackup',
    metadata: { namespace: 'default', name: 'save' },
    spec: {
      dataset: 'raw',
      backupPath: `local://${host}/backups`,
      runAfter: { kind: 'DataProcess', name: 'copy' },
    },
  },
];

const operationsIn = async (client: Client): Promise<readonly Operation[]> => {
  const lists = await Promise.all(OPERATION_KINDS.map((kind) => client.list(kind)));
  return lists.flatMap(({ items }) => items);
};

/** Changes with each transition of any step. */
const stateOf = (operations: readonly Operation[]): string =>
  operations
    .map((one) => {
      const { phase, clusters } = statusOf(one);
      return [one.metadata.name, phase, clusters?.[0]?.phase].join(' ');
    })
    .sort()
    .join('\n');

/** Processes of this machine that belong to a pod. */
const pidsOf = (podUid: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PERIGEE_POD_UID=${podUid}`);
      } catch {
        // It has ended since.
        return false;
      }
    })
    .map(Number);

const killMovers = async (member: Client): Promise<number> => {
  const { items } = await member.list(Pod, { namespace: 'default' });
  const pids = items
    .filter(({ metadata }) => metadata.name.startsWith('bring-'))
    .flatMap(({ metadata }) => pidsOf(metadata.uid));
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return pids.length;
};

test('killed at any moment, a flow comes to its end once, and no half copy counts', {
  skip,
  timeout: LONGEST_MS,
}, async (t) => {
  using folder = openFolder();
  chmodSync(folder.path, 0o755);
  const [data, host] = [join(folder.path, 'data'), join(folder.path, 'host')];
  mkdirSync(join(host, 'raw'), { recursive: true });
  mkdirSync(join(host, 'backups'));
  chmodSync(join(host, 'backups'), 0o777);
  writeFileSync(join(host, 'raw', 'big'), randomBytes(BYTES));
  const whole = digestOf(join(host, 'raw', 'big'));
  const up = () =>
    startUp(data, '--port', '0', '--members', '1', '--nodes', '1', ...given, '--host-path', host);
  const given = ['--run-processes'];
  const open = async (context = 'perigee') => {
    const kubeconfig = join(data, 'kubeconfig');
    return createHttpClient(await loadClusterConfig({ env: {}, clock, kubeconfig, context }), {
      clock,
    });
  };
  /** What was complete before stays as it was. */
  const ended = new Map<string, string>();
  const note = (operations: readonly Operation[]): void => {
    for (const one of operations) {
      const { phase, completionTime = '', attempts } = statusOf(one);
      assert.notEqual(phase, 'Failed', JSON.stringify(statusOf(one).conditions));
      assert.ok((attempts ?? 0) <= 1, `${one.metadata.name} was begun again`);
      if (phase !== 'Complete') {
        assert.ok(!ended.has(one.metadata.name), `${one.metadata.name} was complete before`);
      } else {
        const before = ended.get(one.metadata.name) ?? completionTime;
        assert.equal(completionTime, before, `${one.metadata.name} became complete twice`);
        ended.set(one.metadata.name, completionTime);
      }
    }
  };
  const copies = (): readonly string[] => {
    const volumes = join(data, 'processes', 'member1', 'volumes');
    if (!existsSync(volumes)) return [];
    return readdirSync(volumes)
      .map((name) => join(volumes, name, 'in', 'big'))
      .filter(existsSync);
  };
  const checkLocality = async (client: Client): Promise<void> => {
    const { items } = await client.list(DataSource);
    const isHere = items.some(({ spec }) => spec.locality.clusterNames?.includes('member1'));
    for (const copy of copies()) assert.equal(digestOf(copy), whole, 'half a copy is seen');
    if (isHere) assert.equal(copies().length, 1, 'a locality without its copy');
  };

  let killedMovers = 0;
  for (let kills = 0; kills <= KILLS; kills++) {
    await using running = await up();
    await using client = await open();
    await using member = await open('member1');
    if (kills === 0) {
      const mounts = [{ mountPoint: `local://${host}/raw`, name: 'in' }];
      const metadata = { namespace: 'default', name: 'raw' };
      await client.create(Dataset, { metadata, spec: { mounts } });
      for (const { kind: name, ...step } of stepsOf(host) as readonly { kind: string }[]) {
        const kind = OPERATION_KINDS.find((one) => one.kind === name);
        if (kind !== undefined) await client.create(kind, step as never);
      }
    }
    await checkLocality(client);
    // Each time another number of transitions, and a moment after it.
    let transitions = kills === KILLS ? Infinity : 1 + chance(5);
    let before = stateOf(await operationsIn(client));
    while (transitions > 0 && ended.size < 4) {
      await clock.sleep(LOOK_EVERY_MS);
      const operations = await operationsIn(client);
      note(operations);
      if (killedMovers === 0) killedMovers = await killMovers(member);
      if (stateOf(operations) === before) continue;
      before = stateOf(operations);
      transitions -= 1;
    }
    if (kills === KILLS) break;
    await clock.sleep(chance(80));
    t.diagnostic(`killed at:\n${before}`);
    await running.kill();
    for (const copy of copies()) assert.equal(digestOf(copy), whole, 'half a copy is seen');
  }

  await using _ = await up();
  await using client = await open();
  note(await operationsIn(client));
  assert.ok(killedMovers > 0, 'the mover was too quick to be killed');
  assert.deepEqual([...ended.keys()].sort(), ['bring', 'copy', 'count', 'save']);
  await checkLocality(client);
  const saved = join(host, 'backups', 'default', 'raw', 'data');
  assert.equal(Number(readFileSync(join(saved, 'copy'), 'utf8')), BYTES);
  assert.equal(digestOf(join(saved, 'in', 'big')), whole);
  const { items } = await client.list(Job, { namespace: 'default' });
  assert.equal(items.length, 4, 'none was begun twice');
});
