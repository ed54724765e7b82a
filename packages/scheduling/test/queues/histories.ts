import assert from 'node:assert/strict';
import { ROOT } from '@perigee/scheduling/queues/queue-facts';
import fc from 'fast-check';
import { type Happening, histories } from './history.ts';
import { choosePlainly, usedBy } from './oracle.ts';
import { assertNothingLeft, Play } from './play-history.ts';

/** Nobody is beyond a capability because of a release: not the queue, and none above it. */
const assertCapabilities = (play: Play, released: string): void => {
  const work = play.plain.running.get(released);
  assert.ok(work !== undefined);
  const { queue, amounts } = work;
  for (let at = queue; at !== ROOT; ) {
    const facts = play.plain.queues.get(at);
    assert.ok(facts !== undefined, `${released} was released into ${at}, which does not exist`);
    for (const resource of amounts.keys()) {
      const limit = facts.capability.get(resource);
      if (limit === undefined) continue;
      assert.ok(
        usedBy(play.plain, at, resource) <= Number(limit),
        `${at} is beyond its ${resource}`,
      );
    }
    at = facts.parent;
  }
};

const playWithOracle = (history: readonly Happening[]): void => {
  const play = new Play();
  for (const happening of history) {
    play.happen(happening);
    for (;;) {
      const expected = choosePlainly(play.plain, play.fits);
      const afterRestart = play.restarted().chooseNext(play.fits, play.now)?.item.key;
      assert.equal(afterRestart, expected, 'after a restart');
      const released = play.release()?.item.key;
      assert.equal(released, expected);
      if (released === undefined) break;
      assertCapabilities(play, released);
    }
    for (const key of play.plain.items.keys()) {
      assert.ok(play.queues.verdictOf(key) !== undefined, `nobody says why ${key} waits`);
    }
  }
  assertNothingLeft(play);
};

/** Every choice is the one that looking at everything gives, and stays within all limits. */
export const checkAgainstOracle = (runs: number): void =>
  fc.assert(fc.property(histories, playWithOracle), { numRuns: runs });
