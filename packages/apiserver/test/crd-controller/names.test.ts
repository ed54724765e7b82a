import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNotServed } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { widgetCrd } from '../crd/widget-crd.ts';
import { setUpCrds, WIDGETS, Widget } from './crd-fixture.ts';

const OTHERS = { name: 'others.example.com' };
const Other = { ...Widget, plural: 'others' };
const others = widgetCrd(
  { names: { plural: 'others', singular: 'other', kind: 'Widget' } },
  { metadata: OTHERS },
);

test('a name belongs to one definition, and to the next when that is gone', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.define(others);
  assert.deepEqual(await api.conditions(OTHERS), [
    'NamesAccepted=False ListKindConflict',
    'Established=False NotAccepted',
  ]);
  await assert.rejects(api.client.list(Other), isNotServed);
  await api.client.delete(CustomResourceDefinition, WIDGETS);
  await api.settle();
  assert.deepEqual(await api.conditions(OTHERS), [
    'NamesAccepted=True NoConflicts',
    'Established=True InitialNamesAccepted',
  ]);
  assert.deepEqual((await api.client.list(Other)).items, []);
});

test('of definitions that come at the same time, one gets the name', async () => {
  await using api = await setUpCrds();
  await Promise.all([
    api.client.create(CustomResourceDefinition, widgetCrd() as never),
    api.client.create(CustomResourceDefinition, others as never),
  ]);
  await api.settle();
  const accepted = [...(await api.conditions()), ...(await api.conditions(OTHERS))];
  assert.equal(accepted.filter((text) => text.startsWith('NamesAccepted=True')).length, 1);
});

test('a name that a definition gives back goes to the one that waits for it', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd({ names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'] } }));
  const names = { plural: 'others', kind: 'Other', shortNames: ['w'] };
  await api.define(widgetCrd({ names }, { metadata: OTHERS }));
  assert.deepEqual(await api.conditions(OTHERS), [
    'NamesAccepted=False ShortNamesConflict',
    'Established=False NotAccepted',
  ]);
  await api.change({ names: { shortNames: null } });
  assert.deepEqual(await api.conditions(OTHERS), [
    'NamesAccepted=True NoConflicts',
    'Established=True InitialNamesAccepted',
  ]);
});

test('a definition that was refused can go', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.define(others);
  await api.client.delete(CustomResourceDefinition, OTHERS);
  await api.settle();
  await assert.rejects(api.conditions(OTHERS), /"others.example.com" not found/);
  assert.deepEqual((await api.client.list(Widget)).items, []);
});
