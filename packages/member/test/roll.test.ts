import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deployment, IntOrPercent } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { growNew, type Scale, shrinkOld } from '../src/deployment/roll.ts';
import { rollingBounds } from '../src/deployment/rolling-bounds.ts';
import { scaleInProportion } from '../src/deployment/scale-in-proportion.ts';
import { template } from './member-fixture.ts';

const metadata = (name: string, at = 0) => ({
  name,
  namespace: 'default',
  uid: name,
  resourceVersion: '1',
  creationTimestamp: `2026-01-01T00:00:0${at}Z`,
});

const deployment = (
  replicas: number,
  maxSurge: IntOrPercent,
  maxUnavailable: IntOrPercent,
): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadata('d'),
  spec: {
    replicas,
    selector: {},
    template: template('d'),
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
  },
});

const set = (name: string, replicas: number, available: number, most = 0): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    ...metadata(name, Number(name.slice(1))),
    annotations: { 'deployment.kubernetes.io/max-replicas': String(most) },
  },
  spec: { replicas, selector: {}, template: template('d') },
  status: { replicas, availableReplicas: available },
});

const sizesOf = (scales: readonly Scale[]) =>
  Object.fromEntries(scales.map(({ set: { metadata: meta }, replicas }) => [meta.name, replicas]));

describe('a rolling update', () => {
  it('relies on no pods that a set is about to lose, though its status still counts them', () => {
    const [first, second, next] = [set('s1', 1, 2), set('s2', 2, 2), set('s3', 1, 0)];
    const scales = shrinkOld(deployment(2, 3, 1), next, [first, second]);
    assert.deepEqual(sizesOf(scales), { s1: 0, s2: 1 });
  });

  const BOUNDS: readonly (readonly [number, IntOrPercent, IntOrPercent, number, number])[] = [
    [10, '25%', '25%', 3, 2],
    [1, '25%', '25%', 1, 0],
    [4, 0, 0, 0, 1],
    [3, 0, '10%', 0, 1],
    [2, 5, 5, 5, 2],
  ];
  for (const [replicas, surge, unavailable, maxSurge, maxUnavailable] of BOUNDS) {
    it(`of ${replicas} with ${surge} and ${unavailable} may have ${maxSurge} more and ${maxUnavailable} fewer`, () => {
      const bounds = rollingBounds(deployment(replicas, surge, unavailable));
      assert.deepEqual(bounds, { maxSurge, maxUnavailable });
    });
  }

  it('lets the new set grow into what is left of the surge', () => {
    const wanted = deployment(10, 3, 2);
    const grow = (current: number, old: number) =>
      growNew(wanted, set('r2', current, 0), [set('r1', old, old)])?.replicas;
    assert.deepEqual(
      [grow(0, 10), grow(3, 10), grow(3, 8), grow(10, 0)],
      [3, undefined, 5, undefined],
    );
    assert.equal(growNew(wanted, set('r2', 12, 12), [])?.replicas, 10);
  });

  const SHRINKS: readonly (readonly [
    string,
    Deployment,
    ReplicaSet,
    readonly ReplicaSet[],
    object,
  ])[] = [
    [
      'what may be missing goes at once',
      deployment(10, 3, 2),
      set('r2', 3, 0),
      [set('r1', 10, 10)],
      { r1: 8 },
    ],
    [
      'nothing goes while too few are available',
      deployment(10, 3, 2),
      set('r2', 5, 0),
      [set('r1', 8, 8)],
      {},
    ],
    [
      'new pods that are available take the place of old ones',
      deployment(10, 3, 2),
      set('r2', 5, 5),
      [set('r1', 8, 8)],
      { r1: 3 },
    ],
    [
      'pods of no use go first, from the oldest set',
      deployment(10, 0, 2),
      set('r3', 0, 0),
      [set('r2', 6, 6), set('r1', 4, 2)],
      { r1: 2 },
    ],
    ['sets without pods stay', deployment(2, 1, 0), set('r2', 2, 2), [set('r1', 0, 0)], {}],
  ];
  for (const [what, wanted, newSet, old, expected] of SHRINKS) {
    it(what, () => assert.deepEqual(sizesOf(shrinkOld(wanted, newSet, old)), expected));
  }

  it('follows its size in proportion', () => {
    const grown = scaleInProportion(deployment(20, 0, 0), set('r2', 5, 0, 10), [
      set('r1', 5, 5, 10),
    ]);
    assert.deepEqual(sizesOf(grown), { r1: 10, r2: 10 });
    const shrunk = scaleInProportion(deployment(5, 0, 0), set('r2', 3, 0, 10), [
      set('r1', 7, 7, 10),
    ]);
    assert.deepEqual(sizesOf(shrunk), { r1: 3, r2: 2 });
    const only = scaleInProportion(deployment(5, 0, 0), undefined, [set('r1', 7, 7, 10)]);
    assert.deepEqual(sizesOf(only), { r1: 5 });
  });
});
