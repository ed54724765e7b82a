import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RoomInFlight } from '../../src/queues/room-in-flight.ts';

const facts = { name: 'm1' } as never;
const part = (isThere: boolean) => ({ cluster: 'm1', pods: [], isThere });

/** True if room of the cluster is promised. */
const isPromised = (flights: RoomInFlight): boolean => flights.promises.restOf(facts) !== facts;

suite('room that was promised', () => {
  test('is kept until the cluster tells anew after the work was there', () => {
    const flights = new RoomInFlight();
    flights.set('a', [part(false)], [], { startedAt: 0, now: 0 });
    flights.noteReport('m1', 5_000);
    assert.equal(isPromised(flights), true, 'nobody has it yet');
    flights.set('a', [part(true)], ['m1'], { startedAt: 0, now: 20_000 });
    flights.set('a', [part(true)], ['m1'], { startedAt: 0, now: 30_000 });
    flights.noteReport('m1', 19_999);
    assert.equal(isPromised(flights), true, 'that was counted before');
    flights.noteReport('m1', 20_000);
    assert.equal(isPromised(flights), false);
    flights.set('a', [part(true)], ['m1'], { startedAt: 0, now: 40_000 });
    assert.equal(isPromised(flights), false, 'and it stays counted');
  });

  test('is kept for what came in while nobody looked, and not for what has long been there', () => {
    const flights = new RoomInFlight();
    flights.set('old', [part(true)], [], { startedAt: 0, now: 60_000 });
    assert.equal(isPromised(flights), false);
    flights.set('new', [part(true)], [], { startedAt: 59_000, now: 60_000 });
    assert.equal(isPromised(flights), true);
    flights.remove('new', ['m1']);
    assert.equal(isPromised(flights), false);
  });
});
