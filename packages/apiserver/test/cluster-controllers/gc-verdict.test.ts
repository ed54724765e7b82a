import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type OwnerState,
  type Situation,
  verdictOn,
} from '../../src/cluster-controllers/garbage-collector/verdict.ts';

const NONE = { any: false, blocking: false, waiting: false };

const situation = (
  states: readonly OwnerState[],
  more: Partial<Omit<Situation, 'owners'>> = {},
): Situation => ({
  isEnding: false,
  finalizers: [],
  isCircular: false,
  dependents: NONE,
  ...more,
  owners: states.map((state, index) => ({ uid: `${index}`, state })),
});

const has = (more: Partial<Situation['dependents']> = {}) => ({ ...NONE, any: true, ...more });
const foreground = { isEnding: true, finalizers: ['foregroundDeletion'] };
const nothing = { do: 'nothing' };
const gone = (policy: string, unblock = false) => ({ do: 'delete', policy, unblock });

const CASES: readonly (readonly [string, Situation, object])[] = [
  ['no owners', situation([]), nothing],
  ['an owner', situation(['solid']), nothing],
  ['two owners', situation(['solid', 'solid']), nothing],
  ['an absent owner', situation(['absent']), gone('Background')],
  ['only absent owners', situation(['absent', 'absent']), gone('Background')],
  ['an absent owner of a parent', situation(['absent'], { dependents: has() }), gone('Background')],
  ['an unknown owner', situation(['unknown']), nothing],
  ['an unknown owner beside absent ones', situation(['absent', 'unknown']), nothing],
  ['an unknown owner beside others', situation(['solid', 'unknown', 'absent']), nothing],
  ['one owner of two', situation(['absent', 'solid']), { do: 'release', uids: ['0'] }],
  ['an owner that waits', situation(['waiting']), gone('Background')],
  [
    'an owner that waits, one that does not',
    situation(['waiting', 'solid', 'absent']),
    { do: 'release', uids: ['0', '2'] },
  ],
  [
    'an owner that waits, of a parent',
    situation(['waiting', 'absent'], { dependents: has() }),
    gone('Foreground'),
  ],
  [
    'an owner that waits, of one that waits',
    situation(['waiting'], { dependents: has({ waiting: true }) }),
    gone('Foreground', true),
  ],
  ['its own wish to orphan', situation(['absent'], { finalizers: ['orphan'] }), gone('Orphan')],
  [
    'its own wish to wait',
    situation(['waiting'], { finalizers: ['foregroundDeletion'] }),
    gone('Foreground'),
  ],
  ['an end for other reasons', situation(['absent'], { isEnding: true }), nothing],
  [
    'an end after its dependents',
    situation([], { ...foreground, dependents: has({ blocking: true }) }),
    nothing,
  ],
  ['an end after its dependents, who are gone', situation([], foreground), { do: 'finish' }],
  [
    'an end after dependents that do not block',
    situation(['solid'], { ...foreground, dependents: has() }),
    { do: 'finish' },
  ],
  [
    'an end after itself',
    situation(['waiting'], {
      ...foreground,
      isCircular: true,
      dependents: has({ blocking: true }),
    }),
    { do: 'unblock' },
  ],
  [
    'an end without its dependents',
    situation([], { isEnding: true, finalizers: ['orphan'] }),
    { do: 'orphan' },
  ],
  [
    'an end without and after its dependents',
    situation([], { isEnding: true, finalizers: ['foregroundDeletion', 'orphan'] }),
    { do: 'orphan' },
  ],
];

for (const [name, given, expected] of CASES) {
  test(`an object with ${name}`, () => assert.deepEqual(verdictOn(given), expected));
}
