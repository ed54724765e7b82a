import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Work } from '@perigee/api/kinds/placement/work';
import type { Condition } from '@perigee/api/meta/condition';
import { type NewCondition, setCondition } from '@perigee/api/values/conditions';

/** The compiler is what is tested: an expected error that does not come is an error of `npm run typecheck`. */

const says = { status: 'True', message: 'as the test says' } as const;
const applied = { ...says, type: 'Applied', reason: 'AppliedSuccessful' } as const;

test('a condition of a kind takes its own reasons, and no others', () => {
  const statusOf = (status: NonNullable<Work['status']>) => status;
  const { conditions } = statusOf({});
  assert.equal(setCondition(conditions, applied, 0)[0]?.reason, 'AppliedSuccessful');
  // @ts-expect-error: no list has this reason
  setCondition(conditions, { ...applied, reason: 'Applied' }, 0);
  // @ts-expect-error: a reason of Dispatching, another condition of a Work
  setCondition(conditions, { ...applied, reason: 'SuspendDispatching' }, 0);
  // @ts-expect-error: a Work has no such condition
  setCondition(conditions, { ...applied, type: 'Scheduled' }, 0);
  // @ts-expect-error: somebody has forgotten of which kind these are
  setCondition(conditions as readonly Condition[] | undefined, applied, 0);
  // @ts-expect-error: nor can it be written without the help of setCondition
  statusOf({ conditions: [{ ...applied, type: 'Scheduled', lastTransitionTime: '' }] });
});

test('the condition of one kind is not for another', () => {
  const { conditions } = { conditions: [] } as NonNullable<ResourceBinding['status']>;
  const scheduled: NewCondition<'Binding'> = { ...says, type: 'Scheduled', reason: 'Success' };
  assert.equal(setCondition(conditions, scheduled, 0)[0]?.type, 'Scheduled');
  const ofWork: NewCondition<'Work'> = applied;
  // @ts-expect-error: it is of a Work
  setCondition(conditions, ofWork, 0);
  // @ts-expect-error: a Scheduler is Available; Ready is what clusters are
  const ready: NewCondition<'Scheduler'> = { ...says, type: 'Ready', reason: 'LeaseHeld' };
  assert.equal(ready.type, 'Ready');
});
