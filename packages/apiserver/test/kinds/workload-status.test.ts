import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const SETS = '/apis/apps/v1/namespaces/a/replicasets';
const LABELS = { app: 'x' };
const POD = { containers: [{ name: 'c', image: 'i' }] };
const SPEC = {
  selector: { matchLabels: LABELS },
  template: { metadata: { labels: LABELS }, spec: POD },
};

const withSet = async () => {
  const api = await serveApi({ resources: serverResources() });
  await api.send('POST', SETS, { metadata: { name: 's' }, spec: SPEC });
  const report = (status: JsonObject) => api.send('PATCH', `${SETS}/s/status`, { status }, MERGE);
  return { ...api, report };
};

suite('the status of a workload', () => {
  test('has no more ready replicas than replicas', async () => {
    await using api = await withSet();
    const { code, body } = await api.report({ replicas: 1, readyReplicas: 3 });
    assert.equal(code, 422);
    assert.match(String(body.message), /status\.readyReplicas: Invalid value: 3: cannot be/);
    assert.equal((await api.report({ replicas: 3, readyReplicas: 3 })).code, 200);
  });

  test('has no more available replicas than ready ones', async () => {
    await using api = await withSet();
    const { code, body } = await api.report({ replicas: 2, availableReplicas: 1 });
    assert.equal(code, 422);
    assert.match(String(body.message), /availableReplicas.*cannot be greater than readyReplicas/);
  });

  test('is no hindrance to those who write the rest', async () => {
    await using api = await withSet();
    await api.report({ replicas: 3, readyReplicas: 3 });
    const scaled = await api.send('PATCH', `${SETS}/s`, { spec: { replicas: 1 } }, MERGE);
    assert.equal(scaled.code, 200);
  });

  test('that is applied may bring labels, which then belong to who applied it', async () => {
    await using api = await withSet();
    const config = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 's', labels: { seen: 'yes' } },
      spec: { replicas: 5 },
      status: { replicas: 1 },
    };
    const { code, body } = await api.send(
      'PATCH',
      `${SETS}/s/status?fieldManager=m`,
      config,
      APPLY,
    );
    assert.equal(code, 200);
    const { labels, managedFields } = body.metadata as JsonObject & { managedFields: JsonObject[] };
    assert.deepEqual(labels, { seen: 'yes' });
    const mine = managedFields.find(({ manager }) => manager === 'm');
    assert.deepEqual(mine?.fieldsV1, {
      'f:metadata': { 'f:labels': { 'f:seen': {} } },
      'f:status': { 'f:replicas': {} },
    });
  });

  test('cannot be applied to what is not there, whatever else is wrong', async () => {
    await using api = await withSet();
    const config = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { labels: { a: 5 } } };
    const path = `${SETS}/none/status?fieldManager=m`;
    assert.equal((await api.send('PATCH', path, config, APPLY)).code, 404);
  });
});
