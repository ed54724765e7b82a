import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { isConditionTrue } from '@perigee/api/values/conditions';
import {
  addTrigger,
  addWork,
  DEPLOYMENT,
  setRoom,
  startTriggers,
  triggerOf,
} from '../../support/triggers.ts';

const WORKS = Number(process.env.PERIGEE_TRIGGER_TARGETS ?? 10_000);
const AT_ONCE = 100;
const LARGEST_STATUS = 300_000;

it(`${WORKS} bindings are triggered by one policy, paced, and new work does not wait behind them`, async (t) => {
  await using plane = await startTriggers();
  const { client, clock } = plane;
  for (const name of ['m1', 'm2']) await setRoom(client, name, '1000000');
  await client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name: 'p' },
    spec: { resourceSelectors: [{ ...DEPLOYMENT }] },
  });
  for (let from = 0; from < WORKS; from += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, WORKS - from) }, (_, at) => from + at);
    await Promise.all(names.map((index) => addWork(client, `w${index}`)));
  }
  await clock.advance(30_000);
  const heapBefore = process.memoryUsage().heapUsed;

  const targetRefPolicy = [{ namespace: 'default', name: 'p' }];
  await addTrigger(client, 'all', { targetRefPolicy, autoCleanAfterMinutes: 0 });
  let largest = 0;
  let mostUnderWay = 0;
  let seconds = 0;
  let isNewcomerServed = false;
  for (; seconds < 3600; seconds += 1) {
    await clock.advance(1000);
    const { status } = await triggerOf(client, 'all');
    const { pending = 0, triggered = 0 } = status?.counts ?? {};
    largest = Math.max(largest, JSON.stringify(status ?? {}).length);
    mostUnderWay = Math.max(mostUnderWay, triggered);
    if (status?.finishTime !== undefined) break;
    if (pending > WORKS / 4 && !isNewcomerServed) {
      const name = `new${seconds}`;
      await addWork(client, name, { policy: 'q' });
      await clock.advance(0);
      const ref = { namespace: 'default', name: `${name}-deployment` };
      const newcomer = await client.get(ResourceBinding, ref);
      isNewcomerServed = isConditionTrue(newcomer.status?.conditions, 'Scheduled');
    }
  }
  const { status } = await triggerOf(client, 'all');
  assert.equal(status?.phase, 'Success');
  assert.equal(status.counts?.total, WORKS);
  assert.ok(mostUnderWay <= 100, `${mostUnderWay} were under way at the same time`);
  assert.ok(largest < LARGEST_STATUS, `the status grew to ${largest} characters`);
  assert.ok(isNewcomerServed, 'new work waited');
  const { items } = await client.list(ResourceBinding);
  const asked = items.filter(({ spec }) => spec.rescheduleTriggeredAt !== undefined);
  assert.equal(asked.length, WORKS);
  const grownMiB = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
  t.diagnostic(`${seconds} s of virtual time; the heap grew by ${grownMiB.toFixed(0)} MiB`);
});
