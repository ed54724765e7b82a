import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startInventory } from '../../support/inventory.ts';
import type { SimulatedMember } from '../../support/simulated-member.ts';

const addNode = async ({ admin }: SimulatedMember): Promise<void> => {
  await admin.create(Node, { metadata: { name: 'n1' } });
  const status = {
    allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  const patch = { type: 'merge', body: { status } } as const;
  await admin.patch(Node, { name: 'n1' }, patch, { subresource: 'status' });
};

const addPod = async ({ admin }: SimulatedMember): Promise<void> => {
  const resources = { requests: { cpu: '500m', memory: '1Gi' } };
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx', resources }] };
  await admin.create(Pod, { metadata: { name: 'web', namespace: 'default' }, spec } as never);
};

test('the record follows a member that becomes empty, and then one that dies', async () => {
  await using inventory = await startInventory();
  const { clock, addMember, register, recordOf, conditionOf } = inventory;
  const member = addMember('west');
  await member.addNamespaces('default');
  await addNode(member);
  await addPod(member);
  await register('west');
  await clock.advance(60_000);
  assert.deepEqual((await recordOf('west'))?.status?.allocated, {
    cpu: '500m',
    memory: '1Gi',
    pods: '1',
  });
  await member.admin.delete(Pod, { name: 'web', namespace: 'default' }, { gracePeriodSeconds: 0 });
  await clock.advance(120_000);
  const empty = (await recordOf('west'))?.status;
  assert.equal(empty?.allocated, undefined);
  assert.deepEqual(empty?.allocatable, { cpu: '4', memory: '8Gi', pods: '110' });
  await member.admin.delete(Node, { name: 'n1' });
  await clock.advance(120_000);
  assert.equal((await recordOf('west'))?.status?.allocatable, undefined);
  member.connection = 'cut';
  await clock.advance(120_000);
  assert.equal(await conditionOf('west'), 'Unreachable: False ClusterUnreachable');
});
