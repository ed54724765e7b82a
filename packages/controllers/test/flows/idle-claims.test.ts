import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { claimCopyController } from '../../src/flows/claim-copy-controller.ts';

test('a claim that no work waits for is looked at alone, and not with all of its namespace', async () => {
  const claim = {
    apiVersion: 'datadependency.volcano.sh/v1alpha1',
    kind: 'DataSourceClaim',
    metadata: { namespace: 'default', name: 'idle', uid: 'u', generation: 1 },
    spec: {
      system: 'fluid',
      dataSourceType: 'dataset',
      dataSourceName: 'default/raw',
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      onMissing: 'Copy',
      copyLimit: { bytes: '1Gi' },
    },
  };
  const scheduled = { type: 'Scheduled', status: 'True', reason: 'Success', message: '' };
  const running = { metadata: claim.metadata, spec: {}, status: { conditions: [scheduled] } };
  const all = () => assert.fail('it read all objects of a kind');
  const cache = () => ({
    get: () => claim,
    byIndex: () => [running],
    list: all,
    listNamespace: all,
  });
  const written: unknown[] = [];
  const { reconcile } = claimCopyController({ staging: undefined });
  await reconcile({ namespace: 'default', name: 'idle' }, {
    cache: cache as unknown as Caches,
    clock: { now: () => 0 },
    client: { patch: async (...words: unknown[]) => written.push(words[2]) },
    events: { normal: assert.fail, warning: assert.fail },
    signal: new AbortController().signal,
  } as never);
  assert.match(JSON.stringify(written), /"reason":"NothingWaits"/);
});
