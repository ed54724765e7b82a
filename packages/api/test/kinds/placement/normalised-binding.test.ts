import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalise } from '@perigee/api/kind/normalise';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';

const binding = (replicaScheduling: object, spreadConstraints: readonly object[]) =>
  ({
    metadata: { name: 'web-deployment', namespace: 'default' },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
      placement: { replicaScheduling, spreadConstraints },
    },
  }) as never;

test('a binding in its canonical form stays the very same object', () => {
  const canonical = binding(
    { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
    [{ spreadByField: 'cluster', minGroups: 1 }],
  );
  assert.equal(normalise(ResourceBinding, canonical), canonical);
});

test('what a binding leaves out is filled in, and the original stays as it was', () => {
  const short = binding({}, [{ maxGroups: 2 }]);
  const before = structuredClone(short);
  assert.deepEqual(
    normalise(ResourceBinding, short),
    binding({ replicaDivisionPreference: 'Weighted' }, [
      { spreadByField: 'cluster', minGroups: 1, maxGroups: 2 },
    ]),
  );
  assert.deepEqual(short, before);
});

test('the purge mode of an eviction may be said in the words that Karmada had before', () => {
  const leaving = (purgeMode: string) => ({
    metadata: { name: 'web-deployment', namespace: 'default' },
    spec: { gracefulEvictionTasks: [{ fromCluster: 'm1', purgeMode }, { fromCluster: 'm2' }] },
  });
  assert.deepEqual(
    normalise(ResourceBinding, leaving('Immediately') as never),
    leaving('Directly') as never,
  );
});
