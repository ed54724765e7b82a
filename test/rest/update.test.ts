import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { JsonObject } from '@perigee/schema/json';
import { type Answer, CLUSTERS, type Sent, startRestWorld } from './rest-world.ts';
import { profileOf } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, user, client, state } = world;

const register = (name: string, spec: JsonObject = {}, labels?: { [key: string]: string }) =>
  call('POST', CLUSTERS, { token: admin, body: profileOf(name, spec, labels) });

const put = (path: string, body: JsonObject, sent: Sent = {}) =>
  call('PUT', `${CLUSTERS}${path}`, { token: admin, body, ...sent });

const profileIn = ({ body }: Answer) => body.cluster_profile as JsonObject;
const specIn = (answer: Answer) => profileIn(answer).cluster_spec as JsonObject;

const refused = async (code: number, work: () => Promise<Answer>): Promise<Answer> => {
  const before = state();
  const answer = await work();
  assert.equal(answer.code, code, answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(state(), before);
  return answer;
};

test('PUT replaces what is said of a cluster; what is left out goes', async () => {
  const first = await register('a', { CPUCapacity: 8, ServerPrice: 10 });
  const body = { status: { phase: 'Ready', homeScheduler: 's1' } };
  await client.patch(
    ClusterRecord,
    { name: 'a' },
    { type: 'merge', body },
    { subresource: 'status' },
  );
  const answer = await put('/name/a', profileOf('a', { CPUCapacity: 16 }));
  assert.equal(answer.code, 200);
  assert.deepEqual(specIn(answer), { CPUCapacity: 16, type: 'kubernetes' });
  const { cluster_id: id, cluster_status: status } = profileIn(answer);
  assert.equal(id, profileIn(first).cluster_id);
  assert.deepEqual(status, { phase: 'Ready', homeScheduler: 's1' });
  assert.notEqual(answer.headers.etag, first.headers.etag);
  const shown = await call('GET', `${CLUSTERS}/a`, { token: user });
  assert.deepEqual([shown.text, shown.headers.etag], [answer.text, answer.headers.etag]);
});

test('what GET gave can be put back, by id as well, and changes nothing', async () => {
  const { body, headers } = await register('b', { CPUCapacity: 8 }, { tier: 'edge' });
  const { cluster_id: id } = body.cluster_profile as JsonObject;
  const before = state();
  const again = await put(`/id/${id}`, body);
  assert.deepEqual(
    [again.code, again.headers.etag, again.headers.warning],
    [200, headers.etag, undefined],
  );
  assert.equal(state(), before);
});

test('labels that are given replace the others; without any, they stay', async () => {
  await register('c', {}, { tier: 'edge', old: 'yes' });
  const kept = await put('/c', { cluster_profile: { cluster_spec: { CPUCapacity: 1 } } });
  assert.deepEqual(profileIn(kept).cluster_labels, { tier: 'edge', old: 'yes' });
  const fewer = await put('/c', profileOf('c', { CPUCapacity: 1 }, { tier: 'core' }));
  assert.deepEqual(profileIn(fewer).cluster_labels, { tier: 'core' });
});

test('If-Match keeps one from overwriting what one has not seen', async () => {
  const { headers } = await register('d');
  const etag = String(headers.etag);
  const sent = (tag: string) => ({ headers: { 'if-match': tag } });
  assert.equal((await put('/d', profileOf('d', { CPUCapacity: 1 }), sent(etag))).code, 200);
  const late = await refused(412, () => put('/d', profileOf('d', { CPUCapacity: 2 }), sent(etag)));
  assert.equal(late.body.reason, 'Changed');
  assert.equal((await put('/d', profileOf('d', { CPUCapacity: 2 }), sent('*'))).code, 200);
  await refused(412, () => put('/d', profileOf('d'), { headers: { 'if-none-match': '*' } }));
});

test('what cannot be is refused', async () => {
  const { body } = await register('e');
  const { cluster_profile: profile } = body as { cluster_profile: JsonObject };
  const renamed = await refused(400, () => put('/e', profileOf('f')));
  assert.match(String(renamed.body.detail), /cluster_profile.cluster_name: .*cannot be renamed/);
  const otherId = {
    cluster_profile: { ...profile, cluster_id: '3dda2801-d675-4688-a63f-dcda8d327f51' },
  };
  await refused(400, () => put('/e', otherId));
  const otherType = await refused(400, () => put('/e', profileOf('e', { type: 'openstack' })));
  assert.match(String(otherType.body.detail), /cluster_spec.type: .*another type/);
  await refused(400, () => put('/e', { cluster_profile: { cluster_name: 'e' } }));
  await refused(400, () => put('/e', profileOf('e', { CPUCapacity: 'eight' })));
  await refused(404, () => put('/nobody', profileOf('nobody')));
  await refused(403, () => put('/e', profileOf('e', { CPUCapacity: 1 }), { token: user }));
  await refused(403, () => put('/e', profileOf('e'), { token: user }));
  await refused(405, () => call('PUT', CLUSTERS, { token: admin, body: profileOf('e') }));
});

test('a cluster that leaves is not changed any more', async () => {
  await register('g');
  const body = { metadata: { finalizers: ['example.com/hold'] } };
  await client.patch(ClusterRecord, { name: 'g' }, { type: 'merge', body });
  await call('DELETE', `${CLUSTERS}/g`, { token: admin });
  const answer = await refused(409, () => put('/g', profileOf('g', { CPUCapacity: 1 })));
  assert.equal(answer.body.reason, 'Leaving');
});
