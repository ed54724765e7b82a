import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';
import { reportedFields } from './reported-fields.ts';

const SETS = '/apis/apps/v1/namespaces/a/statefulsets';
const MERGE = 'application/merge-patch+json';

const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const setWith = (claim: JsonObject): JsonObject => ({
  metadata: { name: 's' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
    volumeClaimTemplates: [claim],
  },
});

suite('the claims of a stateful set', () => {
  test('must be complete in a new one', async () => {
    await using api = await serveApi({ resources: serverResources() });
    const { code, body } = await api.send('POST', SETS, setWith({ metadata: { name: 'data' } }));
    assert.equal(code, 422);
    assert.deepEqual(reportedFields(body), [
      'spec.volumeClaimTemplates[0].spec.accessModes',
      'spec.volumeClaimTemplates[0].spec.resources[storage]',
    ]);
  });

  test('cannot change, and who tries is told that and nothing about what they would be', async () => {
    await using api = await serveApi({ resources: serverResources() });
    assert.equal((await api.send('POST', SETS, setWith(CLAIM))).code, 201);
    const patch = { spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } };
    const { code, body } = await api.send('PATCH', `${SETS}/s`, patch, MERGE);
    assert.equal(code, 422);
    assert.deepEqual(reportedFields(body), ['spec']);
    const scaled = await api.send('PATCH', `${SETS}/s`, { spec: { replicas: 2 } }, MERGE);
    assert.equal(scaled.code, 200);
  });

  test('name volumes of the pods, also in a change', async () => {
    await using api = await serveApi({ resources: serverResources() });
    await api.send('POST', SETS, setWith(CLAIM));
    const mounts = (name: string) => {
      const container = { name: 'c', image: 'i', volumeMounts: [{ name, mountPath: '/data' }] };
      const patch = { spec: { template: { spec: { containers: [container] } } } };
      return api.send('PATCH', `${SETS}/s`, patch, MERGE);
    };
    assert.equal((await mounts('data')).code, 200);
    assert.equal((await mounts('other')).code, 422);
  });
});
