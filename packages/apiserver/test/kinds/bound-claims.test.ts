import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';
import { reportedFields } from './reported-fields.ts';

const CLAIMS = '/api/v1/namespaces/a/persistentvolumeclaims';
const MERGE = 'application/merge-patch+json';

test('a claim that is bound may ask for another size, and not for none', async () => {
  await using api = await serveApi({ resources: serverResources() });
  const claim = {
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  assert.equal((await api.send('POST', CLAIMS, claim)).code, 201);
  const status = { phase: 'Bound', capacity: { storage: '1Gi' } };
  assert.equal((await api.send('PATCH', `${CLAIMS}/c/status`, { status }, MERGE)).code, 200);
  const asking = (resources: JsonObject | null) =>
    api.send('PATCH', `${CLAIMS}/c`, { spec: { resources } }, MERGE);
  assert.equal((await asking({ requests: { storage: '2Gi' } })).code, 200);
  const { code, body } = await asking(null);
  assert.equal(code, 422);
  assert.deepEqual(reportedFields(body), [
    'spec.resources[storage]',
    'spec',
    'spec.resources.requests.storage',
  ]);
});
