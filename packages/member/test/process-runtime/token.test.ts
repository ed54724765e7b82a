import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster } from '../member-fixture.ts';
import { FakeProcesses } from './fake-processes.ts';
import { container, createPod, stateOf } from './process-pods.ts';

const TOKEN_REVIEW: ResourceKind = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  scope: 'Cluster',
};

test('a process finds the token of its account, which ends with the pod', async () => {
  await using processes = new FakeProcesses();
  await using cluster = await startCluster({
    server: { access: 'rbac', listener: 'none', serviceAccountTokens: true },
    processes: processes.options,
  });
  const { client, clock } = cluster;
  await createPod(client, { containers: [container(['run'])] });
  await cluster.until(async () => (await stateOf(client)).startsWith('Running'));

  const { PERIGEE_ROOT = '' } = processes.last.order.env;
  const read = (name: string): string =>
    readFileSync(join(PERIGEE_ROOT, 'var/run/secrets/kubernetes.io/serviceaccount', name), 'utf8');
  assert.equal(read('namespace'), 'default');
  assert.match(read('ca.crt'), /^-----BEGIN CERTIFICATE-----/);
  const token = read('token');
  const review = async () => {
    const asked = { spec: { token } };
    const { status } = (await client.create(TOKEN_REVIEW, asked as never)) as unknown as {
      readonly status: { readonly authenticated?: boolean; readonly user: { username?: string } };
    };
    return status.authenticated ? status.user.username : undefined;
  };
  assert.equal(await review(), 'system:serviceaccount:default:default');
  // Nobody writes the file anew: it outlives the hour for which a pod asks.
  await clock.advance(2 * 3_600_000);
  assert.equal(await review(), 'system:serviceaccount:default:default');

  processes.last.exit(0);
  await client.delete(Pod, { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 });
  assert.equal(await review(), undefined);
});
