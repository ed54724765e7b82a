import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { clusterFacts } from '../../../src/placement/scheduler/cluster-facts.ts';

const cluster = (name: string, cpu: string): MemberCluster =>
  ({
    metadata: { name },
    spec: { syncMode: 'Push' },
    status: { resourceSummary: { allocatable: { cpu, pods: '10' } } },
  }) as unknown as MemberCluster;

test('a cluster whose report cannot be read has no room, and does not stop a decision', () => {
  const facts = [cluster('odd', '1e5000'), cluster('good', '4')].map(clusterFacts);
  assert.deepEqual(
    facts.map(({ name, capacity }) => [name, capacity?.pods]),
    [
      ['odd', undefined],
      ['good', 10],
    ],
  );
});
