import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { detectIsolation } from '../../src/isolation/detect-isolation.ts';
import { container, type Spec } from './process-pods.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const isolation = await detectIsolation();
const skip = isolation.kind !== 'namespaces' && (isolation.reason ?? 'no namespaces');
const MOVER = fileURLToPath(new URL('../../../mover/', import.meta.url));

const BIG = 48 * 1024 * 1024;

interface End {
  readonly volume: object;
  readonly path?: string;
}

const claim = (claimName: string): object => ({ persistentVolumeClaim: { claimName } });

/** Successes and failures of moves, in a pod that runs the mover on its volumes. */
describe('a pod that moves data', { skip }, () => {
  let cluster: RealCluster;
  let host: string;
  before(async () => {
    host = mkdtempSync(join(tmpdir(), 'perigee-host-'));
    // As root, pods are other users.
    chmodSync(host, 0o755);
    mkdirSync(join(host, 'raw', 'deep'), { recursive: true });
    mkdirSync(join(host, 'linked'));
    symlinkSync('../../../etc/passwd', join(host, 'linked', 'out'));
    mkdirSync(join(host, 'big'));
    writeFileSync(join(host, 'big', 'file'), Buffer.alloc(BIG, 'x'));
    writeFileSync(join(host, 'raw', 'one'), 'first');
    writeFileSync(join(host, 'raw', 'deep', 'two'), 'second');
    const programs = [{ name: 'perigee-mover', folder: MOVER, module: 'src/main.js' }];
    cluster = await startRealCluster(isolation, { programs, hostPaths: [host] });
    await cluster.claim('copies');
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(host, { recursive: true, force: true });
  });

  const specOf = async (name: string, from: End, to: End, more: object = {}): Promise<Spec> => {
    const order = {
      from: { kind: 'local', root: '/mover/from', path: from.path ?? '' },
      to: { kind: 'local', root: '/mover/to', path: to.path ?? '' },
      terminationMessage: '/dev/termination-log',
      ...more,
    };
    await cluster.client.create(ConfigMap, {
      metadata: { namespace: 'default', name },
      data: { 'order.json': JSON.stringify(order) },
    } as never);
    return {
      containers: [
        container(['perigee-mover', '/mover/order/order.json'], {
          volumeMounts: [
            { name: 'order', mountPath: '/mover/order', readOnly: true },
            { name: 'from', mountPath: '/mover/from', readOnly: true },
            { name: 'to', mountPath: '/mover/to' },
          ],
        }),
      ],
      volumes: [
        { name: 'order', configMap: { name } },
        { name: 'from', ...from.volume },
        { name: 'to', ...to.volume },
      ],
    };
  };
  const folderOf = async (name: string): Promise<string> => {
    const { spec } = await cluster.client.get(PersistentVolumeClaim, {
      namespace: 'default',
      name,
    });
    return join(cluster.folder, 'volumes', spec?.volumeName ?? '');
  };
  const move = async (name: string, from: End, to: End, more?: object) => {
    const { pod } = await cluster.run(name, await specOf(name, from, to, more));
    const { exitCode, message = '{}' } =
      pod.status?.containerStatuses?.[0]?.state?.terminated ?? {};
    return { exitCode, told: JSON.parse(message) };
  };
  const here = (path = 'raw'): End => ({ volume: { hostPath: { path: host } }, path });

  it('tells the result at its end', async () => {
    const to = { volume: claim('copies'), path: 'v1' };
    const { exitCode, told } = await move('fine', here(), to);
    assert.equal(exitCode, 0, JSON.stringify(told));
    assert.equal(told.type, 'result');
    assert.equal(told.files, 2);
    assert.equal(told.bytes, 11);
    assert.match(told.digest, /^tree1:/);
    assert.deepEqual(readdirSync(join(await folderOf('copies'), 'v1')).sort(), ['deep', 'one']);
  });

  it('tells what is wrong, and changes nothing', async () => {
    const before = readdirSync(await folderOf('copies'));
    for (const [name, path, reason, code] of [
      ['climber', '../etc', 'PathOutside', 13],
      ['linker', 'linked', 'SymlinkOutside', 14],
      ['through', 'linked/out', 'SymlinkOutside', 14],
      ['nobody', 'nowhere', 'SourceMissing', 10],
    ] as const) {
      const { exitCode, told } = await move(name, here(path), {
        volume: claim('copies'),
        path: name,
      });
      assert.equal(told.reason, reason, JSON.stringify(told));
      assert.equal(exitCode, code);
    }
    const up = await move('up', here(), { volume: claim('copies'), path: 'v1/../../x' });
    assert.equal(up.told.reason, 'PathOutside');
    assert.deepEqual(readdirSync(await folderOf('copies')), before);
  });

  it('waits for a claim that is not there, and says so', async () => {
    const to = { volume: claim('late'), path: 'v1' };
    await cluster.start('waits', await specOf('waits', here(), to));
    const said = (pod: Pod) =>
      pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';
    const pod = await cluster.until('waits', (one) => said(one) !== '');
    assert.match(said(pod), /persistentvolumeclaim "late" not found/);
    await cluster.claim('late');
    await cluster.until('waits', ({ status }) => status?.phase === 'Succeeded');
    assert.equal(readFileSync(join(await folderOf('late'), 'v1', 'one'), 'utf8'), 'first');
  });

  it('is killed in the middle, and nobody sees half a copy', async () => {
    await cluster.claim('broken');
    const to = { volume: claim('broken'), path: 'big' };
    await cluster.start('victim', await specOf('victim', here('big'), to));
    const { metadata } = await cluster.until('victim', ({ status }) => status?.phase === 'Running');
    const folder = await folderOf('broken');
    const pids = join(cluster.folder, 'pods', metadata.uid, 'pids');
    const hasBegun = () => readdirSync(folder).length > 0;
    while (!hasBegun() && existsSync(pids)) await new Promise((next) => setImmediate(next));
    // All of its group, as if the machine had lost it.
    for (const pid of existsSync(pids) ? readdirSync(pids) : [])
      process.kill(-Number(pid), 'SIGKILL');
    await cluster.until('victim', ({ status }) => status?.phase !== 'Running');
    const final = join(folder, 'big', 'file');
    assert.equal(existsSync(final) ? statSync(final).size : BIG, BIG);
    const { told } = await move('second', here('big'), to);
    assert.equal(told.bytes, BIG, JSON.stringify(told));
    assert.equal(statSync(final).size, BIG);
    assert.deepEqual(readdirSync(folder), ['big']);
  });
});
