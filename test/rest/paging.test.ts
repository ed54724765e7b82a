import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerCluster } from '@perigee/registration/operations/register-cluster';
import type { JsonObject } from '@perigee/schema/json';
import { CLUSTERS, startRestWorld } from './rest-world.ts';
import { profileOf, seedExample } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, user } = world;

const list = async (query: string) => {
  const { code, body } = await call('GET', `${CLUSTERS}?${query}`, { token: user });
  const clusters = (body.clusters ?? []) as readonly JsonObject[];
  return { code, body, names: clusters.map(({ cluster_name: name }) => name) };
};

before(async () => {
  const register = (body: JsonObject) => call('POST', CLUSTERS, { token: admin, body });
  await register(seedExample);
  for (const name of ['edge1', 'edge2', 'edge3']) {
    const spec = { type: 'virtual', Region: { region: name } };
    await register(profileOf(name, spec, { tier: 'edge' }));
  }
});

test('pages follow each other until there are no more', async () => {
  const first = await list('limit=3');
  assert.deepEqual(first.names, ['cluster1', 'edge1', 'edge2']);
  assert.equal(first.body.remaining, 1);
  const token = encodeURIComponent(String(first.body.continue));
  const last = await list(`limit=3&continue=${token}`);
  assert.deepEqual(last.names, ['edge3']);
  assert.equal(last.body.continue, undefined);
});

test('clusters are selected by their labels', async () => {
  assert.deepEqual((await list('labelSelector=tier%3Dedge')).names, ['edge1', 'edge2', 'edge3']);
  assert.deepEqual((await list('labelSelector=!tier')).names, ['cluster1']);
  assert.deepEqual((await list('labelSelector=tier%3Dedge&limit=1')).names, ['edge1']);
});

test('clusters are selected by their fields, as a profile or as the kind names them', async () => {
  const selectors = [
    'cluster_spec.Region.region=us-west',
    'cluster_profile.cluster_spec.Region.AvailabilityZone=us-west-1',
    'spec.region.region=us-west',
    'cluster_spec.GeoLocation.country=US,cluster_status.homeScheduler=',
    'cluster_name=cluster1',
    'metadata.name=cluster1',
    'cluster_spec.type!=virtual',
  ];
  for (const selector of selectors) {
    const { names } = await list(`fieldSelector=${encodeURIComponent(selector)}`);
    assert.deepEqual(names, ['cluster1'], selector);
  }
});

test('labels are shown, and are part of what makes a cluster the same', async () => {
  const { body } = await call('GET', `${CLUSTERS}/edge1`, { token: user });
  const { cluster_labels: labels } = body.cluster_profile as { cluster_labels: object };
  assert.deepEqual(labels, { tier: 'edge' });
  const spec = { type: 'virtual', Region: { region: 'edge1' } };
  const post = (tier: string) =>
    call('POST', CLUSTERS, { token: admin, body: profileOf('edge1', spec, { tier }) });
  assert.equal((await post('edge')).code, 200);
  assert.equal((await post('core')).code, 409);
});

test('what is shown can be registered again elsewhere', async () => {
  const { body } = await call('GET', `${CLUSTERS}/cluster1`, { token: user });
  const again = await call('POST', CLUSTERS, { token: admin, body });
  assert.equal(again.code, 200);
  assert.match(String(again.headers.warning), /cluster_id.*given by the server/);
});

test('a long list, which is made in slices, is whole', async () => {
  await using large = await startRestWorld();
  const names = Array.from({ length: 250 }, (_, at) => `c${String(at).padStart(3, '0')}`);
  for (const name of names) {
    await registerCluster(large.client, { metadata: { name }, spec: { type: 'virtual' } });
  }
  const { body } = await large.call('GET', CLUSTERS, { token: large.user });
  const clusters = body.clusters as readonly JsonObject[];
  assert.deepEqual(
    clusters.map(({ cluster_name: name }) => name),
    names,
  );
});
