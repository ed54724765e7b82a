import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';
import { type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { writeStatus } from '../../../src/placement/scheduler/write-status.ts';
import { addBinding, bindingRef, setHealth } from '../../support/bindings.ts';

const start = () => startEmbeddedServer({ clock: new VirtualClock(), listener: 'none' });

const kind = ResourceBinding as BindingKind;
const ref = bindingRef('ResourceBinding', 'web');
const as = { options: { fieldManager: 'test' }, note: () => {} };

const SCHEDULED: NewCondition<'Binding'> = {
  type: 'Scheduled',
  status: 'True',
  reason: 'Success',
  message: 'as the test says',
};
const FULLY_APPLIED: NewCondition<'Binding'> = {
  type: 'FullyApplied',
  status: 'True',
  reason: 'FullyAppliedSuccess',
  message: 'as the test says',
};

const typesOf = async (client: Client) => {
  const { status } = await client.get(ResourceBinding, ref);
  return (status?.conditions ?? []).map(({ type }) => type);
};

const scheduled = (status: BindingStatus): BindingStatus => ({
  ...status,
  conditions: setCondition(status.conditions, SCHEDULED, 0),
});

describe('the status that the scheduler writes', () => {
  it('keeps the conditions that others wrote meanwhile', async () => {
    await using server = await start();
    const { client } = server;
    await addBinding(client, 'ResourceBinding', 'web');
    const read = await client.get(ResourceBinding, ref);
    const conditions = setCondition<ConditionOf<'Binding'>>([], FULLY_APPLIED, 0);
    const patch = { type: 'merge', body: { status: { conditions } } } as const;
    await client.patch(ResourceBinding, ref, patch, { subresource: 'status' });
    const changed = await writeStatus(kind, read, scheduled, { client, ...as });
    assert.deepEqual(await typesOf(client), ['FullyApplied', 'Scheduled']);
    assert.deepEqual(Object.keys(changed), ['conditions']);
  });

  it('is not written when it says nothing new', async () => {
    await using server = await start();
    const { client } = server;
    await addBinding(client, 'ResourceBinding', 'web');
    await setHealth(client, 'ResourceBinding', 'web', { m1: 'Healthy' });
    const read = await client.get(ResourceBinding, ref);
    await writeStatus(kind, read, scheduled, { client, ...as });
    const written = await client.get(ResourceBinding, ref);
    assert.deepEqual(written.status?.aggregatedStatus, read.status?.aggregatedStatus);
    assert.deepEqual(await writeStatus(kind, written, scheduled, { client, ...as }), {});
    const { metadata } = await client.get(ResourceBinding, ref);
    assert.equal(metadata.resourceVersion, written.metadata.resourceVersion);
  });

  it('does not tell about another binding of the same name', async () => {
    await using server = await start();
    const { client } = server;
    await addBinding(client, 'ResourceBinding', 'web');
    const read = await client.get(ResourceBinding, ref);
    await client.delete(ResourceBinding, ref);
    await addBinding(client, 'ResourceBinding', 'web');
    assert.deepEqual(await writeStatus(kind, read, scheduled, { client, ...as }), {});
    assert.deepEqual(await typesOf(client), []);
  });
});
