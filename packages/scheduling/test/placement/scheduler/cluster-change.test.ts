import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import {
  type ClusterChange,
  clusterChange,
  usableBy,
} from '@perigee/scheduling/placement/scheduler/cluster-change';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { bindingOf } from '../binding-of.ts';

const cluster = (metadata: object = {}, status: object = {}): MemberCluster =>
  ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'm1', generation: 1, ...metadata },
    spec: { syncMode: 'Push' },
    status: { resourceSummary: { allocatable: { cpu: '4' } }, ...status },
  }) as never;

describe('a change of a cluster', () => {
  const before = cluster();
  const cases: readonly (readonly [string, MemberCluster | undefined, ClusterChange])[] = [
    ['a heartbeat does nothing', cluster({ resourceVersion: '9' }), 'none'],
    ['room is for who waits', cluster({}, { resourceSummary: {} }), 'room'],
    ['taints and other wishes can move work', cluster({ generation: 2 }), 'fit'],
    ['labels can move work', cluster({ labels: { zone: 'a' } }), 'fit'],
    ['so can a kind that it has now', cluster({}, { apiEnablements: [{ resources: [] }] }), 'fit'],
    ['so can that it is to go', cluster({ deletionTimestamp: '2026-01-01T00:00:00Z' }), 'fit'],
    ['so can that it is gone', undefined, 'fit'],
  ];
  for (const [title, now, expected] of cases) {
    it(title, () => assert.equal(clusterChange(now, before), expected));
  }
});

describe('the clusters that a binding could use', () => {
  const facts = clusterFacts(cluster());
  const named = (name: string) => ({ clusterNames: [name] });
  const cases = [
    ['all without an affinity', {}, true],
    ['those that it names', { clusterAffinity: named('m1') }, true],
    ['no others', { clusterAffinity: named('m2') }, false],
    [
      'those of any of its terms',
      {
        clusterAffinities: [
          { affinityName: 'a', ...named('m2') },
          { affinityName: 'b', ...named('m1') },
        ],
      },
      true,
    ],
    [
      'those that take what overflows',
      {
        clusterAffinities: [
          { affinityName: 'a', ...named('m2'), overflowAffinities: [named('m1')] },
        ],
      },
      true,
    ],
  ] as const;
  for (const [title, placement, expected] of cases) {
    it(title, () =>
      assert.equal(usableBy(bindingOf({ placement: placement as never }))(facts), expected),
    );
  }
});
