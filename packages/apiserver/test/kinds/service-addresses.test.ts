import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';
import { reportedFields } from './reported-fields.ts';

const SERVICES = '/api/v1/namespaces/a/services';
const MERGE = 'application/merge-patch+json';

test('an address that cannot be is told before all else that is wrong with a service', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const service = {
    metadata: { name: 's', finalizers: ['example.com/x'] },
    spec: { ports: [{ port: 80 }] },
  };
  assert.equal((await api.send('POST', SERVICES, service)).code, 201);
  assert.equal((await api.call('DELETE', `${SERVICES}/s`)).code, 200);
  // It ends, and can have no new finalizer.
  const finalizers = ['example.com/x', 'example.com/y'];
  const patches = [
    { metadata: { finalizers } },
    { metadata: { finalizers }, spec: { clusterIP: 'not-an-ip', clusterIPs: ['not-an-ip'] } },
  ];
  const told = await Promise.all(
    patches.map((patch) => api.send('PATCH', `${SERVICES}/s`, patch, MERGE)),
  );
  assert.deepEqual(
    told.map(({ code, body }) => [code, reportedFields(body)]),
    [
      [422, ['metadata.finalizers']],
      [422, ['spec.clusterIPs[0]']],
    ],
  );
  const nameless = {
    metadata: { name: 'No_Name' },
    spec: { ports: [{ port: 0 }], clusterIP: 'not-an-ip' },
  };
  const { body } = await api.send('POST', SERVICES, nameless);
  assert.deepEqual(reportedFields(body), ['spec.clusterIPs[0]']);
});
