import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { CronJob } from '@perigee/kubernetes/batch/cron-job';
import { Job } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import { parse } from 'yaml';
import { openStage } from '../command-line.ts';

const namespace = 'default';
const template = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
};

test('explain finds the pods of a CronJob behind more Jobs of others than fit on a page', async () => {
  await using stage = await openStage();
  const { client } = stage.server;
  // The server is its own member, by a context of that name.
  const config = parse(readFileSync(stage.kubeconfig, 'utf8'));
  const [here] = config.contexts;
  config.contexts.push({ ...here, name: 'm1' });
  writeFileSync(stage.kubeconfig, JSON.stringify(config));

  await client.create(MemberCluster, { metadata: { name: 'm1' }, spec: { syncMode: 'Push' } });
  const ready = { type: 'Ready', status: 'True', reason: 'ClusterReady', message: '' };
  const since = { lastTransitionTime: '2026-01-01T00:00:00Z' };
  const status = {
    type: 'merge',
    body: { status: { conditions: [{ ...ready, ...since }] } },
  } as const;
  await client.patch(MemberCluster, { name: 'm1' }, status, { subresource: 'status' });
  const spec = { schedule: '* * * * *', jobTemplate: { spec: { template } } };
  const nightly = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly' };
  const { metadata } = await client.create(CronJob, {
    metadata: { namespace, name: nightly.name },
    spec,
  } as never);
  await client.create(ResourceBinding, {
    metadata: { namespace, name: 'nightly-cronjob' },
    spec: { resource: { ...nightly, namespace }, clusters: [{ name: 'm1' }], placement: {} },
  });
  const addJob = (name: string, ownerReferences: readonly object[] = []) =>
    client.create(Job, {
      metadata: { namespace, name, ownerReferences },
      spec: { template },
    } as never);
  for (let at = 0; at < 500; at += 1) await addJob(`a-${at}`);
  await addJob('nightly-1', [{ ...nightly, uid: metadata.uid, controller: true }]);
  await client.create(Pod, {
    metadata: { namespace, name: 'nightly-1-x', labels: { 'job-name': 'nightly-1' } },
    ...template,
  } as never);

  const { stdout } = await stage.run(['explain', 'cronjob/nightly', '-o', 'json']);
  const [view] = JSON.parse(stdout).clusters;
  assert.deepEqual(view.pods, { Pending: 1 });
});
