import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

const NOTED = { metadata: { annotations: { noted: 'yes' } } };
const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';

test('annotations may come with the status of most kinds, and not of some', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const flow = { priorityLevelConfiguration: { name: 'exempt' } };
  await api.send('POST', FLOWS, { metadata: { name: 'f' }, spec: flow });
  const patch = async (path: string) => {
    const { code, body } = await api.send('PATCH', path, NOTED, 'application/merge-patch+json');
    return [code, (body.metadata as { annotations?: object }).annotations];
  };
  assert.deepEqual(await patch('/api/v1/namespaces/a/status'), [200, { noted: 'yes' }]);
  assert.deepEqual(await patch(`${FLOWS}/f/status`), [200, undefined]);
});

test('when a pod ends is not read with its status', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const pods = '/api/v1/namespaces/a/pods';
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await api.send('POST', pods, pod);
  const metadata = { name: 'p', deletionTimestamp: '2020-01-01T00:00:00Z' };
  const ended = { ...pod, metadata, status: { phase: 'Pending' } };
  const { code, body } = await api.send('PUT', `${pods}/p/status`, ended);
  assert.equal(code, 200);
  assert.equal((body.metadata as { deletionTimestamp?: string }).deletionTimestamp, undefined);
});

test('finalizers by short names come with the status of cron jobs, and not of jobs', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const pod = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' };
  const job = { template: { spec: pod } };
  const batch = '/apis/batch/v1/namespaces/a';
  await api.send('POST', `${batch}/jobs`, { metadata: { name: 'x' }, spec: job });
  const spec = { schedule: '* * * * *', jobTemplate: { spec: job } };
  await api.send('POST', `${batch}/cronjobs`, { metadata: { name: 'x' }, spec });
  const patch = async (plural: string) => {
    const path = `${batch}/${plural}/x/status`;
    const body = { metadata: { finalizers: ['short'] } };
    return (await api.send('PATCH', path, body, 'application/merge-patch+json')).code;
  };
  assert.deepEqual([await patch('jobs'), await patch('cronjobs')], [422, 200]);
});
