import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ConnectionError } from '@perigee/kube/errors';
import { MemberGate } from '../../src/members/member-gate.ts';

const gateAt = (clock: VirtualClock) =>
  new MemberGate(clock, { perSecond: 10, burst: 2, atOnce: 3 });

/** Lets a key through as soon as it may, and tells when that was. */
const passAt = async (gate: MemberGate, clock: VirtualClock, key: string): Promise<number> => {
  for (;;) {
    const entry = gate.enter('m1', key);
    if (entry.kind === 'pass') {
      entry.pass[Symbol.dispose]();
      return clock.monotonic();
    }
    await clock.advance(entry.waitMs);
  }
};

test('after a burst, everybody gets a turn of its own', () => {
  const clock = new VirtualClock();
  const gate = gateAt(clock);
  const waits = ['a', 'b', 'c', 'd'].map((key) => {
    const entry = gate.enter('m1', key);
    if (entry.kind === 'wait') return entry.waitMs;
    entry.pass[Symbol.dispose]();
    return 0;
  });
  assert.deepEqual(waits, [0, 0, 100, 200]);
  assert.deepEqual(gate.enter('m1', 'c'), { kind: 'wait', waitMs: 100 }, 'coming early is no use');
  assert.equal(gate.enter('m2', 'a').kind, 'pass', 'members are apart');
});

test('thousands of tasks of one tenant do not keep another from its one', async () => {
  const clock = new VirtualClock();
  const gate = new MemberGate(clock, { perSecond: 10, burst: 2, atOnce: 100 });
  for (let task = 0; task < 1000; task++) gate.enter('m1', `flood/${task}`, 'flood');
  const newcomer = gate.enter('m1', 'newcomer/one', 'newcomer');
  assert.deepEqual(newcomer, { kind: 'wait', waitMs: 200 }, 'one of the flood goes first');
  const second = gate.enter('m1', 'newcomer/two', 'newcomer');
  assert.deepEqual(second, { kind: 'wait', waitMs: 400 }, 'then they take turns');
  await clock.advance(200);
  assert.equal(gate.enter('m1', 'newcomer/one', 'newcomer').kind, 'pass');
  assert.equal(gate.enter('m1', 'flood/2', 'flood').kind, 'pass');
  assert.equal(
    gate.enter('m1', 'flood/3', 'flood').kind,
    'wait',
    'the rate is that of all together',
  );
});

test('who never comes back keeps nobody waiting for ever', async () => {
  const clock = new VirtualClock();
  const gate = gateAt(clock);
  for (let task = 0; task < 20; task++) gate.enter('m1', `lost/${task}`, 'a');
  gate.enter('m1', 'lost/all', 'b');
  assert.equal(gate.enter('m1', 'one', 'a').kind, 'wait');
  await clock.advance(60_000);
  assert.equal(gate.enter('m1', 'one', 'a').kind, 'pass');
});

test('so many are under way at once, and no more', async () => {
  const clock = new VirtualClock();
  const gate = new MemberGate(clock, { perSecond: 1000, burst: 1000, atOnce: 2 });
  const first = gate.enter('m1', 'a');
  const second = gate.enter('m1', 'b');
  assert.deepEqual([first.kind, second.kind, gate.enter('m1', 'c').kind], ['pass', 'pass', 'wait']);
  if (first.kind === 'pass') first.pass[Symbol.dispose]();
  await clock.advance(10);
  assert.equal(gate.enter('m1', 'c').kind, 'pass');
});

test('a member that does not answer gets a pause, longer each time', async () => {
  const clock = new VirtualClock();
  const gate = gateAt(clock);
  const failAt = async (): Promise<number> => {
    for (;;) {
      const entry = gate.enter('m1', 'a');
      if (entry.kind === 'pass') {
        using _ = entry.pass;
        entry.failed(new ConnectionError('no answer'));
        return clock.monotonic();
      }
      await clock.advance(entry.waitMs);
    }
  };
  const times = [await failAt(), await failAt(), await failAt(), await failAt()];
  const pauses = times.slice(1).map((at, index) => Math.floor((at - (times[index] ?? 0)) / 1000));
  assert.deepEqual(pauses, [1, 2, 4]);
  await passAt(gate, clock, 'a');
  const before = clock.monotonic();
  await failAt();
  assert.ok(clock.monotonic() - before < 1000, 'an answer ends the pauses');
  const after = clock.monotonic();
  await failAt();
  assert.ok(clock.monotonic() - after < 2000, 'and they begin anew');
});

test('a refusal is an answer', () => {
  const clock = new VirtualClock();
  const gate = gateAt(clock);
  const entry = gate.enter('m1', 'a');
  if (entry.kind === 'pass') {
    entry.failed(new Error('forbidden'));
    entry.pass[Symbol.dispose]();
  }
  assert.equal(gate.enter('m1', 'b').kind, 'pass');
});
