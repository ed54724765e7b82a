import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClusterTaint, ClusterToleration } from '@perigee/api/kinds/clusters/cluster-taints';
import { formatTime } from '@perigee/schema/values/time';
import { toleranceOf } from '../../../src/placement/failover/tolerance.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

const taint = (key: string, ageSeconds = 60): ClusterTaint => ({
  key,
  effect: 'NoExecute',
  timeAdded: formatTime(NOW - ageSeconds * 1000),
});

const exists = (key: string, tolerationSeconds?: number): ClusterToleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

const cases: readonly (readonly [
  string,
  readonly ClusterTaint[],
  readonly ClusterToleration[],
  string,
])[] = [
  ['no taints', [], [], 'for-ever'],
  ['only taints for the scheduler', [{ key: 'a', effect: 'NoSchedule' }], [], 'for-ever'],
  ['only advice', [{ key: 'a', effect: 'PreferNoSchedule' }], [], 'for-ever'],
  ['no tolerations', [taint('a')], [], 'none a'],
  ['a toleration of another key', [taint('a')], [exists('b')], 'none a'],
  ['a toleration of another effect', [taint('a')], [{ key: 'a', effect: 'NoSchedule' }], 'none a'],
  ['another value', [{ ...taint('a'), value: '1' }], [{ key: 'a', value: '2' }], 'none a'],
  ['the same value', [{ ...taint('a'), value: '1' }], [{ key: 'a', value: '1' }], 'for-ever'],
  ['a toleration without an end', [taint('a')], [exists('a')], 'for-ever'],
  ['a toleration of everything', [taint('a'), taint('b')], [{ operator: 'Exists' }], 'for-ever'],
  ['no time at all', [taint('a')], [exists('a', 0)], 'none a'],
  ['less than no time', [taint('a')], [exists('a', -5)], 'none a'],
  ['time that is over', [taint('a', 61)], [exists('a', 60)], 'none a'],
  ['time that is over now', [taint('a', 60)], [exists('a', 60)], 'none a'],
  ['time that is left', [taint('a', 60)], [exists('a', 100)], 'for-now 40'],
  ['one of two not tolerated', [taint('a'), taint('b')], [exists('a')], 'none b'],
  ['one with an end', [taint('a'), taint('b')], [exists('a', 100), exists('b')], 'for-now 40'],
  [
    'the shortest of two',
    [taint('a'), taint('b', 10)],
    [exists('a', 100), exists('b', 20)],
    'for-now 10',
  ],
  [
    'the shortest of two is over',
    [taint('a'), taint('b', 20)],
    [exists('a', 100), exists('b', 20)],
    'none b',
  ],
  [
    'the first toleration that fits counts',
    [taint('a')],
    [exists('a', 100), exists('a')],
    'for-now 40',
  ],
  [
    'a toleration that counts limits all the taints that it fits',
    [taint('a', 80), taint('b', 10)],
    [exists('a'), { operator: 'Exists', tolerationSeconds: 100 }],
    'for-now 20',
  ],
  [
    'a taint without a time has just come',
    [{ key: 'a', effect: 'NoExecute' }],
    [exists('a', 30)],
    'for-now 30',
  ],
];

describe('tolerating what drives work out', () => {
  for (const [name, taints, tolerations, expected] of cases) {
    it(name, () => {
      const tolerance = toleranceOf(taints, tolerations, NOW);
      const detail =
        tolerance.kind === 'none'
          ? ` ${tolerance.taint.key}`
          : tolerance.kind === 'for-now'
            ? ` ${tolerance.forMs / 1000}`
            : '';
      assert.equal(`${tolerance.kind}${detail}`, expected);
    });
  }
});
