import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { dataPlacementController } from '@perigee/controllers/data/data-placement-controller';
import { dataSchedulerController } from '@perigee/controllers/data/data-scheduler-controller';
import { dataSourceController } from '@perigee/controllers/data/data-source-controller';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { gateController } from '@perigee/controllers/gate/gate-controller';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { producedSourceController } from '../../src/flows/produced-source-controller.ts';
import { claimedWorld } from '../data/claimed-world.ts';
import { startFlowWorld } from './flow-world.ts';

const MEMBERS = ['m1', 'm2', 'm3'];
const RESULT = { result: { bytes: 10, files: 1, digest: 'd' } };

describe('data that operations bring', () => {
  let world: Awaited<ReturnType<typeof startFlowWorld>>;
  let claimed: ReturnType<typeof claimedWorld>;

  before(async () => {
    world = await startFlowWorld({
      members: MEMBERS,
      further: (client, clock) => [
        dataSchedulerController(),
        dataSourceController(),
        dataPlacementController({ client, clock }),
        gateController(),
        datasetController(),
        producedSourceController(),
      ],
    });
    claimed = claimedWorld(world.client, 'default');
    await claimed.policy();
  });
  after(() => world[Symbol.asyncDispose]());

  const dataset = async (name: string, mountPoint?: string) => {
    const spec = mountPoint === undefined ? {} : { mounts: [{ mountPoint, path: '/' }] };
    await world.client.create(Dataset, { metadata: { namespace: 'default', name }, spec });
  };
  /** The member that has the Job of an operation. */
  const placeOf = async (name: string): Promise<string> => {
    await world.settle();
    const jobs = await Promise.all(MEMBERS.map((member) => world.job(member, name)));
    return MEMBERS.filter((_, at) => jobs[at] !== undefined).join(' ');
  };
  const run = async (name: string): Promise<string> => {
    const member = await placeOf(name);
    assert.ok(MEMBERS.includes(member), `${name} is in ${member || 'no member'}`);
    await world.report(member, name, 'complete', RESULT);
    return member;
  };
  const whereIs = async (source: string) => {
    await world.settle();
    const found = await getOrUndefined(world.client, DataSource, { name: source });
    return found?.spec.locality.clusterNames?.join(' ');
  };
  const to = (name: string) => ({ to: { dataset: { name } } });
  const only = (member: string) => ({
    placement: { clusterAffinity: { clusterNames: [member] } },
  });
  const claim = (name: string, data: string, work: string) =>
    claimed.claim(name, `default/${data}`, work, { system: 'fluid', dataSourceType: 'dataset' });

  it('leads from a migration over a load and a process to work that waits for it', async () => {
    const { create, settle } = world;
    await dataset('lake');
    await dataset('raw', 'dataset://default/lake');
    const data = { system: 'hub', dataSourceType: 'model', dataSourceName: 'llama' };
    await claimed.claim('model', 'llama', 'serve', data);
    await claimed.deployment('serve', 3);
    await create('DataMigrate', 'fetch', { ...to('lake'), ...only('m2') });
    await create('DataLoad', 'warm', {
      runAfter: { kind: 'DataMigrate', name: 'fetch' },
    });
    const dataSource = { name: 'llama', system: 'hub', type: 'model', dataName: 'llama' };
    await create('DataProcess', 'convert', {
      runAfter: { kind: 'DataLoad', name: 'warm' },
      produces: [{ dataSource, path: 'model' }],
    });
    await settle();
    assert.equal(await claimed.told('serve'), 'nowhere | WaitingForData held | -');
    assert.equal(await run('fetch'), 'm2');
    assert.equal(await whereIs('fluid-dataset.default.lake'), 'm2');
    // The source of the copy is in m2 only.
    assert.equal(await run('warm'), 'm2');
    assert.ok(await world.member('m2').find(PersistentVolumeClaim, 'raw'));
    assert.equal(await run('convert'), 'm2');
    assert.equal(await whereIs('llama'), 'm2');
    assert.equal(await claimed.told('serve'), 'm2 | Admitted | Success');
  });

  it('brings data to where work that claims it may run', async () => {
    await dataset('photos', 'pvc://nas/photos');
    await claim('photos', 'photos', 'web');
    await claimed.policy({ clusterAffinity: { clusterNames: ['m3'] } });
    await claimed.deployment('web', 2);
    await world.settle();
    assert.equal(await claimed.told('web'), 'nowhere | WaitingForData held | -');
    await world.create('DataLoad', 'photos', { dataset: { name: 'photos' } });
    assert.equal(await run('photos'), 'm3');
    assert.equal(await claimed.told('web'), 'm3 | Admitted | Success');
    await claimed.policy();
  });

  it('goes nowhere for work of another namespace that claims it', async () => {
    const namespace = 'spies';
    await world.client.create(Namespace, { metadata: { name: namespace } });
    const spies = claimedWorld(world.client, namespace);
    await spies.policy({ clusterAffinity: { clusterNames: ['m3'] } });
    const data = { system: 'fluid', dataSourceType: 'dataset' };
    await spies.claim('plans', 'default/plans', 'spy', data);
    await spies.deployment('spy', 2);
    await dataset('plans', 'pvc://nas/plans');
    await world.settle();
    await world.create('DataLoad', 'plans', { dataset: { name: 'plans' } });
    await world.settle();
    const { status } = await world.get('DataLoad', 'plans');
    const placed = status?.conditions.find(({ type }) => type === 'Placed');
    assert.equal(placed?.reason, 'WhereRoomIs');
  });

  it('moves work away from data that a migration has made stale', async () => {
    await dataset('logs', 'pvc://nas/logs');
    await world.create('DataLoad', 'logs', { dataset: { name: 'logs' }, ...only('m1') });
    await run('logs');
    await claim('logs', 'logs', 'reader');
    await claimed.deployment('reader', 2);
    await world.settle();
    assert.equal(await claimed.told('reader'), 'm1 | Admitted | Success');
    await world.create('DataMigrate', 'newlogs', { ...to('logs'), ...only('m3') });
    await run('newlogs');
    assert.equal(await whereIs('fluid-dataset.default.logs'), 'm3');
    assert.match(await claimed.told('reader'), /^m3/);
    // Running work stays where it is when the data is gone altogether.
    await world.client.delete(Dataset, { namespace: 'default', name: 'logs' });
    await world.settle();
    assert.match(await claimed.told('reader'), /^m3/);
  });

  it('takes a load that failed for no copy, and one that was tried again for one', async () => {
    await dataset('maps', 'pvc://nas/maps');
    await world.create('DataLoad', 'maps', { dataset: { name: 'maps' }, ...only('m1') });
    assert.equal(await placeOf('maps'), 'm1');
    await world.report('m1', 'maps', 'failed');
    assert.equal(await whereIs('fluid-dataset.default.maps'), '');
    const annotations = { 'flows.perigee.io/retry': '1' };
    await world.change('DataLoad', 'maps', { metadata: { annotations } });
    await run('maps');
    assert.equal(await whereIs('fluid-dataset.default.maps'), 'm1');
  });
});
