import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

const JOBS = '/apis/batch/v1/namespaces/a/jobs';
const MERGE = 'application/merge-patch+json';
const POD = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' };

const withJob = async (spec: JsonObject = {}) => {
  const api = await serveApi({ resources: serverResources() });
  const job = { metadata: { name: 'j' }, spec: { template: { spec: POD }, ...spec } };
  await api.send('POST', JOBS, job);
  const patch = (body: JsonObject, path = `${JOBS}/j`) => api.send('PATCH', path, body, MERGE);
  return { ...api, patch };
};

suite('a job', () => {
  test('may have as many indices as may run at once, and no other number', async () => {
    const spec = { completionMode: 'Indexed', completions: 4, parallelism: 1 };
    await using api = await withJob(spec);
    const refused = await api.patch({ spec: { completions: 3 } });
    assert.equal(refused.code, 422);
    assert.match(String(refused.body.message), /in tandem with spec\.parallelism/);
    assert.equal((await api.patch({ spec: { completions: 1 } })).code, 200);
  });

  test('that counts its pods goes on to need as many', async () => {
    await using api = await withJob({ completions: 4 });
    assert.equal((await api.patch({ spec: { completions: 1 } })).code, 422);
  });

  test('began when it was first told to have begun', async () => {
    await using api = await withJob();
    const report = (status: JsonObject) => api.patch({ status }, `${JOBS}/j/status`);
    assert.equal((await report({ startTime: '2026-01-01T00:00:00Z' })).code, 200);
    const { code, body } = await report({ startTime: null });
    assert.equal(code, 422);
    assert.match(String(body.message), /status\.startTime.*immutable for unsuspended job/);
  });

  test('may send its pods elsewhere while it is suspended and none of them run', async () => {
    await using api = await withJob({ suspend: true });
    const report = (status: JsonObject) => api.patch({ status }, `${JOBS}/j/status`);
    let node = 0;
    const move = async () => {
      const nodeSelector = { node: String(++node) };
      return (await api.patch({ spec: { template: { spec: { nodeSelector } } } })).code;
    };
    assert.equal(await move(), 200);
    await report({ active: 1 });
    assert.equal(await move(), 422);
    await report({ active: 0, startTime: '2026-01-01T00:00:00Z' });
    assert.equal(await move(), 422);
    await report({ conditions: [{ type: 'Suspended', status: 'True' }] });
    assert.equal(await move(), 200);
  });

  test('may choose other nodes while it is suspended, but no other neighbours', async () => {
    await using api = await withJob({ suspend: true });
    const choose = async (affinity: JsonObject) =>
      (await api.patch({ spec: { template: { spec: { affinity } } } })).code;
    const nodeSelectorTerms = [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }];
    const required = 'requiredDuringSchedulingIgnoredDuringExecution';
    assert.equal(await choose({ nodeAffinity: { [required]: { nodeSelectorTerms } } }), 200);
    assert.equal(await choose({ podAntiAffinity: { [required]: [{ topologyKey: 'z' }] } }), 422);
  });

  test('whose name the server makes keeps the labels of its pods for itself', async () => {
    await using api = await withJob();
    const template = { metadata: { labels: { app: 'x' } }, spec: POD };
    const made = { metadata: { generateName: 'g-' }, spec: { template } };
    const { body } = await api.send('POST', JOBS, made);
    assert.deepEqual((body.metadata as JsonObject).labels, { app: 'x' });
  });
});
