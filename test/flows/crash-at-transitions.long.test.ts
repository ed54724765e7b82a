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
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import { detectIsolation } from '@perigee/member/isolation/detect-isolation';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { openFolder, startUp } from '../placement/perigee-process.ts';
import { LiveObjects } from './live-objects.ts';

const isolation = await detectIsolation();
const skip = isolation.kind !== 'namespaces' && (isolation.reason ?? 'no namespaces');

const BYTES = 48 * 1024 * 1024;
const LONGEST_MS = 400_000;
const CHECK_EVERY_MS = 10;
const STEPS = [
  [DataMigrate, 'bring'],
  [DataLoad, 'fill'],
  [DataProcess, 'train'],
] as const;

/** It ends by itself only when nobody reads any more what it says: when the control plane is dead. */
const SCRIPT = `
if grep -q ended /data/runs; then echo again >> /data/runs; exit; fi
trap '' PIPE
echo began >> /data/runs
while echo training; do sleep 0.05; done 2> /dev/null
echo ended >> /data/runs
`;

const digestOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');

const metadata = (name: string) => ({ namespace: 'default', name });
const after = (kind: string, name: string) => ({ runAfter: { kind, name } });

const objects = (host: string) =>
  [
    [Dataset, 'lake', {}],
    [Dataset, 'raw', { mounts: [{ mountPoint: 'dataset://default/lake', name: 'in' }] }],
    [DataLoad, 'fill', { dataset: { name: 'raw' }, ...after('DataMigrate', 'bring') }],
    [
      DataProcess,
      'train',
      {
        dataset: { name: 'raw', mountPath: '/data' },
        processor: { script: { image: 'none', command: ['sh'], source: SCRIPT } },
        ...after('DataLoad', 'fill'),
      },
    ],
    [
      PropagationPolicy,
      'all',
      { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }], placement: {} },
    ],
    [
      DataSourceClaim,
      'needs',
      {
        system: 'fluid',
        dataSourceType: 'dataset',
        dataSourceName: 'default/raw',
        workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'serve' },
      },
    ],
    [
      Deployment,
      'serve',
      {
        selector: { matchLabels: { app: 'serve' } },
        template: {
          metadata: { labels: { app: 'serve' } },
          spec: { containers: [{ name: 'main', image: 'none' }] },
        },
      },
    ],
    // With it the flow begins.
    [
      DataMigrate,
      'bring',
      {
        from: { externalStorage: { uri: `local://${host}/raw` } },
        to: { dataset: { name: 'lake' } },
      },
    ],
  ] as const;

/** Processes of this machine that belong to pods. */
const processesOf = (podUids: readonly string[]): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        return podUids.some((uid) => environment.includes(`PERIGEE_POD_UID=${uid}`));
      } catch {
        // It has ended since.
        return false;
      }
    })
    .map(Number);

const killAll = (pids: readonly number[]): number => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended since.
    }
  }
  return pids.length;
};

const clustersOf = (source: KubeObject | undefined): readonly string[] =>
  (source as DataSource | undefined)?.spec.locality.clusterNames ?? [];

/** All that happens to a flow, in order; each holds from then on. */
const transitions = (
  live: LiveObjects,
): readonly (readonly [name: string, holds: () => boolean])[] => {
  const status = (kind: string, name: string) => {
    const operation = live.get(kind, name) as Operation | undefined;
    return operation === undefined ? undefined : statusOf(operation);
  };
  const podOf = (step: string) =>
    (live.startingWith('Pod', `${step}-`) as readonly Pod[]).map((pod) => pod.status?.phase);
  const source = (dataset: string) => live.get('DataSource', `fluid-dataset.default.${dataset}`);
  const binding = () => live.get('ResourceBinding', 'serve-deployment') as ResourceBinding;
  const claim = () => live.get('DataSourceClaim', 'needs') as DataSourceClaim | undefined;
  const phases = (kind: string, name: string) => {
    const isAt = (...wanted: readonly string[]) => wanted.includes(status(kind, name)?.phase ?? '');
    return {
      'is pending': () => isAt('Pending', 'Executing', 'Complete'),
      'is released': () => status(kind, name)?.waitingFor?.operationComplete === false,
      'is executing': () => isAt('Executing', 'Complete'),
      runs: () => podOf(name).length > 0 && podOf(name).every((phase) => phase !== 'Pending'),
      moves: () => Number(status(kind, name)?.progress?.bytesTotal ?? 0) > 0,
      'has ended': () => podOf(name).includes('Succeeded'),
      'is complete': () => isAt('Complete'),
    };
  };
  const of = (kind: string, name: string, ...words: readonly (keyof ReturnType<typeof phases>)[]) =>
    words.map((word) => [`${name} ${word}`, phases(kind, name)[word]] as const);
  return [
    ...of('DataMigrate', 'bring', 'is pending', 'is executing', 'runs', 'moves', 'has ended'),
    ...of('DataMigrate', 'bring', 'is complete'),
    ['lake is there', () => clustersOf(source('lake')).length > 0],
    ...of('DataLoad', 'fill', 'is released', 'is executing', 'moves', 'has ended', 'is complete'),
    ['raw is there', () => clustersOf(source('raw')).length > 0],
    ['the claim is bound', () => claim()?.status?.phase === 'Bound'],
    ['the work is placed', () => (binding()?.spec.clusters?.length ?? 0) > 0],
    ...of('DataProcess', 'train', 'is released', 'is executing', 'runs', 'has ended'),
    ...of('DataProcess', 'train', 'is complete'),
  ];
};

test('killed at each of its transitions, a flow loses nothing and does nothing twice', {
  skip,
  timeout: LONGEST_MS,
}, async (t) => {
  using folder = openFolder();
  chmodSync(folder.path, 0o755);
  const [data, host] = [join(folder.path, 'data'), join(folder.path, 'host')];
  mkdirSync(join(host, 'raw'), { recursive: true });
  writeFileSync(join(host, 'raw', 'big'), randomBytes(BYTES));
  const whole = digestOf(join(host, 'raw', 'big'));
  const args = ['--port', '0', '--members', '1', '--nodes', '1', '--run-processes'];
  const open = async (context: string) => {
    const kubeconfig = join(data, 'kubeconfig');
    return createHttpClient(await loadClusterConfig({ env: {}, clock, kubeconfig, context }), {
      clock,
    });
  };
  const member = join(data, 'processes', 'member1');
  const inVolumes = (path: string): readonly string[] =>
    (existsSync(join(member, 'volumes')) ? readdirSync(join(member, 'volumes')) : [])
      .map((volume) => join(member, 'volumes', volume, path))
      .filter(existsSync);
  const running = () => processesOf(readdirSync(join(member, 'pods')));
  const untilQuiet = async (): Promise<void> => {
    while (running().length > 0) await clock.sleep(CHECK_EVERY_MS);
  };
  const checkCopies = (): void => {
    for (const copy of [...inVolumes('big'), ...inVolumes('in/big')]) {
      assert.equal(digestOf(copy), whole, 'half a copy has its final name');
    }
  };
  const checkLocality = (source: KubeObject): void => {
    const file = source.metadata.name.endsWith('.raw') ? 'in/big' : 'big';
    if (clustersOf(source).length === 0) return;
    assert.deepEqual(inVolumes(file).map(digestOf), [whole], `half of ${source.metadata.name}`);
  };
  const completed = new Map<string, string>();
  const checkStep = (operation: Operation): void => {
    const { name } = operation.metadata;
    const { phase, completionTime = '', attempts = 0, conditions } = statusOf(operation);
    assert.notEqual(phase, 'Failed', JSON.stringify(conditions));
    assert.ok(attempts <= 1, `${name} was begun again`);
    const before = completed.get(name);
    if (before !== undefined) assert.equal(`${phase} ${completionTime}`, before, `${name} twice`);
    if (phase === 'Complete') completed.set(name, `${phase} ${completionTime}`);
  };

  const past = new Set<string>();
  const killedAt: string[] = [];
  const wrong: unknown[] = [];
  let checkedSource = '';
  let killedMovers = 0;
  for (let isOver = false; !isOver; ) {
    await using up = await startUp(data, ...args, '--host-path', host);
    await using client = await open('perigee');
    await using inMember = await open('member1');
    const news = Promise.withResolvers<readonly string[]>();
    let isOld = true;
    const live: LiveObjects = new LiveObjects((object) => {
      try {
        if (object.kind === 'DataSource') {
          const now = JSON.stringify([object.metadata.name, clustersOf(object)]);
          if (now !== checkedSource) checkLocality(object);
          checkedSource = now;
        }
        if (STEPS.some(([{ kind }]) => kind === object.kind)) checkStep(object as Operation);
      } catch (error) {
        wrong.push(error);
      }
      const fresh = all.filter(([name, holds]) => !past.has(name) && holds()).map(([name]) => name);
      for (const name of fresh) past.add(name);
      if (isOld || fresh.length === 0) return;
      isOld = true;
      // At once, before anything follows from it.
      if (fresh.includes('fill moves')) process.kill(up.pid, 'SIGSTOP');
      else process.kill(up.pid, 'SIGKILL');
      news.resolve(fresh);
    });
    const all = transitions(live);
    await using _ = live;
    isOld = false;
    live.watch(client, [DataSource, DataSourceClaim, ResourceBinding, Dataset]);
    live.watch(client, [DataMigrate, DataLoad, DataProcess]);
    live.watch(inMember, [Pod]);
    if (killedAt.length === 0) {
      for (const [kind, name, spec] of objects(host)) {
        await client.create(kind, { metadata: metadata(name), spec } as never).catch((error) => {
          // It was killed when it had begun, and before it answered.
          if (!past.has('bring is pending')) throw error;
        });
      }
    }
    // The mover alone, as soon as there is one.
    while (past.has('bring is executing') && killedMovers === 0 && !isOld) {
      await clock.sleep(CHECK_EVERY_MS);
      killedMovers = killAll(running());
    }
    const died = live.ended().then(() => {
      throw new Error(`it ended by itself:\n${up.said()}`);
    });
    const fresh = await Promise.race([news.promise, died]);
    killedAt.push(fresh.join(', '));
    // A whole machine dies at first, later the control plane alone, when its processes have ended or before.
    if (fresh.some((name) => name.startsWith('bring'))) killAll(running());
    await untilQuiet();
    await up.kill();
    checkCopies();
    isOver = past.size === all.length;
  }
  t.diagnostic(`killed at:\n${killedAt.join('\n')}`);
  await using _ = await startUp(data, ...args, '--host-path', host);
  await using client = await open('perigee');
  await using inMember = await open('member1');
  for (const [kind, name] of STEPS) checkStep(await client.get(kind, metadata(name)));
  assert.deepEqual(wrong, []);
  assert.ok(killedMovers > 0, 'no mover was there to be killed');
  assert.deepEqual([...completed.keys()].sort(), ['bring', 'fill', 'train']);
  checkCopies();
  const [runs = ''] = inVolumes('runs');
  const done = readFileSync(runs, 'utf8')
    .split('\n')
    .filter((line) => line === 'ended' || line === 'again');
  assert.deepEqual(done, ['ended'], 'the script ran to its end once');
  const pods = (await inMember.list(Pod, { namespace: 'default' })).items;
  for (const [, name] of STEPS) {
    const succeeded = pods.filter(
      (pod) => pod.metadata.name.startsWith(`${name}-`) && pod.status?.phase === 'Succeeded',
    );
    assert.equal(succeeded.length, 1, name);
  }
  assert.equal((await client.list(Job, { namespace: 'default' })).items.length, STEPS.length);
});
