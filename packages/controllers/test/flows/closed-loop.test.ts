import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { formatTime } from '@perigee/api/values/time';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { executionNamespacesController } from '@perigee/controllers/placement/execution-namespaces/execution-namespaces-controller';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { claimControllers, claimedWorld } from '../data/claimed-world.ts';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';

describe('data that operations bring', () => {
  let plane: Awaited<ReturnType<typeof startControlPlane>>;

  before(async () => {
    plane = await startControlPlane({
      controllers: (parts) => [
        ...claimControllers(parts),
        executionNamespacesController(),
        datasetController(),
      ],
    });
    for (const name of ['c1', 'c2', 'c3']) await addReadyCluster(plane.client, name);
  });
  after(() => plane[Symbol.asyncDispose]());

  const world = async (namespace: string) => {
    const { client, clock, settled } = plane;
    await client.create(Namespace, { metadata: { name: namespace } });
    const here = (name: string) => ({ namespace, name });
    const spec = { mounts: [{ mountPoint: 's3://bucket/raw' }] };
    await client.create(Dataset, { metadata: here('raw'), spec });
    const made = claimedWorld(client, namespace);
    await made.policy();
    const load = (name: string, more: object = {}) =>
      client.create(DataLoad, {
        metadata: here(name),
        spec: { dataset: { name: 'raw' }, ...more },
      });
    /** The operation is over in these clusters, and runs in others. */
    const complete = async (
      kind: ResourceKind,
      name: string,
      clusters: readonly string[],
      running: readonly string[] = [],
    ) => {
      const startTime = formatTime(clock.now());
      await clock.advance(1000);
      const states = [
        ...clusters.map((cluster) => ({
          name: cluster,
          phase: 'Complete',
          startTime,
          completionTime: formatTime(clock.now()),
          result: { bytes: 10, files: 1, digest: 'd' },
        })),
        ...running.map((cluster) => ({ name: cluster, phase: 'Executing', startTime })),
      ];
      const phase = running.length === 0 ? 'Complete' : 'Executing';
      const body = { status: { phase, clusters: states } };
      await client.patch(kind, here(name), { type: 'merge', body }, { subresource: 'status' });
      await settled();
    };
    const told = async (name: string) => {
      await settled();
      return made.told(name);
    };
    const claim = () =>
      made.claim('raw', `${namespace}/raw`, 'web', {
        system: 'fluid',
        dataSourceType: 'dataset',
      });
    return { ...made, claim, here, load, complete, told };
  };

  it('lets held work go to where a load has ended, and further when it ends elsewhere', async () => {
    const { claim, deployment, load, complete, told } = await world('loads');
    await claim();
    await deployment('web', 4);
    assert.equal(await told('web'), 'nowhere | WaitingForData held | -');
    await load('l');
    await complete(DataLoad, 'l', ['c2'], ['c1']);
    assert.equal(await told('web'), 'c2 | Admitted | Success');
  });

  it('moves work away from data that a migration has made stale', async () => {
    const { claim, deployment, load, complete, told, here } = await world('migrates');
    await load('l');
    await complete(DataLoad, 'l', ['c1']);
    await claim();
    await deployment('web', 2);
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    await plane.client.create(DataMigrate, {
      metadata: here('m'),
      spec: {
        from: { externalStorage: { uri: 'pvc://inbox/' } },
        to: { dataset: { name: 'raw' } },
      },
    });
    await complete(DataMigrate, 'm', ['c3']);
    assert.match(await told('web'), /^c3/);
  });

  it('keeps running work where it is when the dataset is deleted', async () => {
    const { claim, deployment, load, complete, told, here } = await world('deleted');
    await load('l');
    await complete(DataLoad, 'l', ['c1']);
    await claim();
    await deployment('web', 2);
    assert.equal(await told('web'), 'c1 | Admitted | Success');
    await plane.client.delete(Dataset, here('raw'));
    assert.match(await told('web'), /^c1/);
  });
});
