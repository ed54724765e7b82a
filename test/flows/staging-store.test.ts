import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import type { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Secret } from '@perigee/kubernetes/core/secret';
import { parseStagingStore } from '@perigee/scheduling/flows/staging-store';
import { dataTransfersController } from '../../packages/controllers/src/flows/data-transfers-controller.ts';
import { startFlowWorld } from '../../packages/controllers/test/flows/flow-world.ts';
import { parseOrder } from '../../packages/mover/src/order.ts';
import { findRclone, serveByRclone } from '../../packages/mover/test/support/rclone.ts';
import { failureOf, runOrder } from '../../packages/mover/test/support/run.ts';
import { contents, plant, scratch } from '../../packages/mover/test/support/trees.ts';

const program = findRclone();
const [USER, PASSWORD] = ['access', 'secret'];
const here = (name: string) => ({ namespace: 'default', name });
const on = (...clusterNames: readonly string[]) => ({
  placement: { clusterAffinity: { clusterNames } },
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

type World = Awaited<ReturnType<typeof startFlowWorld>>;

/** Mounts for the one container of a Job what it names, and runs its order as a mover of that cluster would. */
const runPodOf = async (world: World, cluster: string, job: Job, root: string) => {
  const { volumes = [], containers } = job.spec.template.spec;
  const [container] = containers;
  const member = world.member(cluster);
  const folderOf = async (volume: Volume): Promise<string> => {
    const claim = volume.persistentVolumeClaim?.claimName;
    const folder = join(root, cluster, claim ?? volume.name);
    mkdirSync(folder, { recursive: true });
    const files = volume.configMap && (await member.find(ConfigMap, volume.configMap.name))?.data;
    const keys = volume.secret && (await member.find(Secret, volume.secret.secretName))?.data;
    for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(folder, name), text);
    for (const [name, text] of Object.entries(keys ?? {})) {
      writeFileSync(join(folder, name), Buffer.from(text, 'base64'));
    }
    return folder;
  };
  const folders = new Map<string, string>();
  for (const volume of volumes as readonly Volume[]) {
    folders.set(volume.name, await folderOf(volume));
  }
  const mounts = (container?.volumeMounts ?? []) as readonly { name: string; mountPath: string }[];
  const [, file = ''] = container?.command ?? [];
  const orders = await member.find(ConfigMap, job.metadata.name);
  let text = orders?.data?.[file.split('/').at(-1) ?? ''] ?? '';
  for (const { name, mountPath } of mounts) {
    text = text.replaceAll(`"${mountPath}"`, JSON.stringify(folders.get(name)));
    text = text.replaceAll(`"${mountPath}/`, `"${folders.get(name)}/`);
  }
  return runOrder(parseOrder(text.replace('/dev/termination-log', join(root, cluster, 'log'))));
};

test('data goes through a real store from one cluster to another, with the keys of its namespace', {
  skip: program === undefined && 'rclone is not here: .ci/run gets it',
}, async () => {
  using root = scratch();
  const at = (name: string) => join(root.path, name);
  mkdirSync(at('s3/staging'), { recursive: true });
  const login = ['--auth-key', `${USER},${PASSWORD}`];
  await using server = await serveByRclone(program ?? '', 's3', [...login, at('s3')]);
  const endpoint = `http://${server.address}`;
  const store = parseStagingStore(
    `s3://staging/perigee?endpoint=${endpoint}&region=us-east-1&path-style=true&secret=store`,
  );
  if ('problem' in store) throw new Error(store.problem);
  const mover = { image: 'perigee:0.1.0', hostPaths: [], staging: store };
  await using world = await startFlowWorld({
    members: ['m1', 'm2'],
    mover,
    further: () => [datasetController(), dataTransfersController({ mover })],
  });
  const data = { 'access-key': base64(USER), 'secret-key': base64('wrong') };
  await world.client.create(Secret, { metadata: here('store'), data } as never);
  await world.client.create(Dataset, { metadata: here('raw'), spec: {} });
  await world.create('DataMigrate', 'bring', on('m1'));
  await world.settle();
  await world.report('m1', 'bring', 'complete');
  plant(at('m1/raw'), { 'a.txt': 'hello', 'deep/b.bin': Buffer.alloc(9 * 2 ** 20, 'b') });
  await world.create('DataLoad', 'spread', on('m2'));
  await world.settle();
  const jobIn = async (cluster: string, name: string): Promise<Job> => {
    const job = await world.job(cluster, name);
    if (job === undefined) throw new Error(`${cluster} has no Job ${name}`);
    return job;
  };
  const bring = async () => runPodOf(world, 'm1', await jobIn('m1', 'serve-spread'), root.path);
  assert.match(await failureOf(bring), /^PermissionDenied/, 'the keys are wrong');

  const right = { type: 'merge', body: { data: { 'secret-key': base64(PASSWORD) } } } as const;
  await world.client.patch(Secret, here('store'), right);
  await world.change('DataLoad', 'spread', { spec: { cancel: true } });
  await world.create('DataLoad', 'again', on('m2'));
  await world.settle();
  const sent = await runPodOf(world, 'm1', await jobIn('m1', 'serve-again'), root.path);
  assert.equal(sent.filesCopied, 2);
  assert.deepEqual(readdirSync(at('s3/staging/perigee')), ['default'], 'each namespace apart');
  await world.report('m1', 'serve-again', 'complete');
  const got = await runPodOf(world, 'm2', await jobIn('m2', 'again'), root.path);
  assert.deepEqual([got.filesCopied, got.digest], [2, sent.digest]);
  assert.deepEqual(contents(at('m2/raw')), contents(at('m1/raw')));
  await world.report('m2', 'again', 'complete');
  assert.equal(await world.state('DataLoad', 'again'), 'Complete Succeeded');
});
