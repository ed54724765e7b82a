import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { DISTRIBUTED_TO } from '@perigee/scheduling/placement/binding/distributed-to';
import {
  type Distribution,
  type DistributionStep,
  distributionStep,
} from '@perigee/scheduling/placement/distributor/distribution-step';
import { takenBack } from '@perigee/scheduling/placement/distributor/refusals';
import { bindingOf, scheduled } from '../binding-of.ts';

const REFUSED_BY = 'globalscheduler.com/refused-by';
const nowMs = Date.UTC(2026, 0, 1, 0, 0, 10);

const scheduler = (
  phase: string,
  { isLeaving = false, desired = [] as string[] } = {},
): Scheduler =>
  ({
    metadata: { name: 'one', ...(isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    status: { phase, clusters: { desired } },
  }) as never;

const with1 = (status = {}, annotations = {}) =>
  bindingOf({ schedulerName: 'one' }, status, { [DISTRIBUTED_TO]: 'one', ...annotations });
const active = scheduler('Active');
const settled = { ...scheduled('True'), schedulerObservedGeneration: 2 };

describe('who schedules a binding', () => {
  const keep = { kind: 'keep' } as const;
  const cases: readonly (readonly [string, Partial<Distribution>, DistributionStep])[] = [
    ['new work goes to whoever fits best', { binding: bindingOf() }, { kind: 'give', to: 'two' }],
    [
      'with nobody there, the one that is built in',
      { binding: bindingOf(), choose: () => undefined },
      keep,
    ],
    [
      'what a policy gives to somebody stays there',
      { binding: bindingOf({ schedulerName: 'one' }) },
      keep,
    ],
    ['work stays with who takes work', { binding: with1(), scheduler: active }, keep],
    [
      'what was refused goes to the next',
      { binding: with1(scheduled('False')), scheduler: active },
      { kind: 'hand-over', to: 'two', refusers: ['one'] },
    ],
    [
      'a hand-over that was interrupted is carried on',
      { binding: with1(scheduled('Unknown'), { [REFUSED_BY]: 'three,one' }), scheduler: active },
      { kind: 'hand-over', to: 'two', refusers: ['three', 'one'] },
    ],
    [
      'what all have refused stays',
      { binding: with1(scheduled('False')), scheduler: active, choose: () => undefined },
      keep,
    ],
    [
      'once it is placed, refusals are forgotten',
      { binding: with1(settled, { [REFUSED_BY]: 'three' }), scheduler: active },
      { kind: 'forget-refusals' },
    ],
    [
      'who leaves keeps work until its clusters are given away',
      {
        binding: with1(settled),
        scheduler: scheduler('Active', { isLeaving: true, desired: ['m1'] }),
      },
      keep,
    ],
    [
      'and what is in its queue for a while',
      { binding: with1(), scheduler: scheduler('Active', { isLeaving: true }) },
      { kind: 'wait', forMs: 20_000 },
    ],
    [
      'not what it has decided about',
      { binding: with1(settled), scheduler: scheduler('Active', { isLeaving: true }) },
      { kind: 'give', to: 'two' },
    ],
    [
      'who is silent loses its work',
      { binding: with1(), scheduler: scheduler('Unavailable') },
      { kind: 'give', to: 'two' },
    ],
  ];
  for (const [title, given, expected] of cases) {
    it(title, () => {
      const choose = (refusedBy: readonly string[]) =>
        refusedBy.includes('two') ? undefined : 'two';
      const state = { binding: bindingOf(), choose, drainMs: 30_000, nowMs, ...given };
      assert.deepEqual(distributionStep(state), expected);
    });
  }

  it('takes the word of the last one back, and keeps what it said', () => {
    const [condition] = takenBack(with1(scheduled('False', 'no room')), nowMs);
    assert.deepEqual(
      [condition?.status, condition?.reason, condition?.message],
      ['Unknown', 'HandedOver', 'Another scheduler is asked. The scheduler one said: no room'],
    );
  });
});
