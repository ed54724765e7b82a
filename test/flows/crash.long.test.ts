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
import { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Job } from '@perigee/kubernetes/batch/job';
import { detectIsolation } from '@perigee/member/isolation/detect-isolation';
import { openFolder, startUp } from '../placement/perigee-process.ts';

const isolation = await detectIsolation();
const skip = isolation.kind !== 'namespaces' && (isolation.reason ?? 'no namespaces');

const BYTES = 96 * 1024 * 1024;
const digestOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');

type Operation = KubeObject & { readonly status?: OperationStatus };

const until = async (
  client: Client,
  kind: ResourceKind,
  name: string,
  check: (status: OperationStatus) => boolean,
): Promise<OperationStatus> => {
  const fieldSelector = `metadata.name=${name}`;
  const options = { namespace: 'default', fieldSelector, sendInitialEvents: true };
  for await (const { type, object } of client.watch(kind, options)) {
    const { status } = object as Operation;
    if (type !== 'BOOKMARK' && status !== undefined && check(status)) return status;
  }
  throw new Error('the watch ended before');
};

const isOver = ({ phase }: OperationStatus): boolean => phase === 'Complete' || phase === 'Failed';

/** Folders and files below a folder of this machine, without what unfinished copies have. */
const volumesOf = (data: string): readonly string[] => {
  const volumes = join(data, 'processes', 'member1', 'volumes');
  return readdirSync(volumes).map((name) => join(volumes, name));
};

test('killed while bytes move, a flow goes on, and half a copy is never seen', {
  skip,
}, async () => {
  using folder = openFolder();
  chmodSync(folder.path, 0o755);
  const data = join(folder.path, 'data');
  const host = join(folder.path, 'host');
  mkdirSync(join(host, 'raw'), { recursive: true });
  mkdirSync(join(host, 'backups'), { mode: 0o777 });
  chmodSync(join(host, 'backups'), 0o777);
  writeFileSync(join(host, 'raw', 'big'), randomBytes(BYTES));
  writeFileSync(join(host, 'raw', 'small'), 'seven\n');
  const args = ['--port', '0', '--members', '1', '--nodes', '1'];
  const given = ['--run-processes', '--host-path', host];
  const open = async () => {
    const kubeconfig = join(data, 'kubeconfig');
    const config = await loadClusterConfig({ env: {}, clock, kubeconfig });
    return createHttpClient(config, { clock });
  };
  {
    await using up = await startUp(data, ...args, ...given);
    await using client = await open();
    const metadata = (name: string) => ({ namespace: 'default', name });
    await client.create(Dataset, { metadata: metadata('raw'), spec: {} });
    await client.create(DataMigrate, {
      metadata: metadata('bring'),
      spec: {
        from: { externalStorage: { uri: `local://${host}/raw` } },
        to: { dataset: { name: 'raw', path: 'v1' } },
      },
    });
    await client.create(DataProcess, {
      metadata: metadata('count'),
      spec: {
        runAfter: { kind: 'DataMigrate', name: 'bring' },
        dataset: { name: 'raw', mountPath: '/data' },
        processor: {
          script: {
            image: 'none',
            command: ['sh'],
            source: 'cat /data/v1/* | wc -c | tr -d " \\n" > /data/count',
          },
        },
      },
    });
    await client.create(DataBackup, {
      metadata: metadata('save'),
      spec: {
        dataset: 'raw',
        backupPath: `local://${host}/backups`,
        runAfter: { kind: 'DataProcess', name: 'count' },
      },
    });
    await until(client, DataMigrate, 'bring', ({ progress }) => Number(progress?.bytesTotal) > 0);
    await up.kill();
  }
  for (const volume of volumesOf(data)) {
    const final = join(volume, 'v1', 'big');
    if (existsSync(final)) assert.equal(digestOf(final), digestOf(join(host, 'raw', 'big')));
  }
  await using _ = await startUp(data, ...args, ...given);
  await using client = await open();
  for (const [kind, name] of [
    [DataMigrate, 'bring'],
    [DataProcess, 'count'],
    [DataBackup, 'save'],
  ] as const) {
    const { phase, attempts, conditions, clusters } = await until(client, kind, name, isOver);
    assert.equal(phase, 'Complete', JSON.stringify(conditions));
    assert.equal(attempts, 1);
    assert.equal(clusters?.length, 1);
    if (kind !== DataProcess) {
      assert.equal(Number(clusters?.[0]?.result?.files), kind === DataMigrate ? 2 : 3);
    }
  }
  const saved = join(host, 'backups', 'default', 'raw', 'data');
  assert.equal(readFileSync(join(saved, 'count'), 'utf8'), String(BYTES + 'seven\n'.length));
  assert.equal(digestOf(join(saved, 'v1', 'big')), digestOf(join(host, 'raw', 'big')));
  for (const volume of volumesOf(data)) {
    assert.deepEqual(readdirSync(volume).sort(), ['count', 'v1']);
  }
  const { items } = await client.list(Job, { namespace: 'default' });
  assert.equal(items.length, 3, 'none was begun twice');
});
