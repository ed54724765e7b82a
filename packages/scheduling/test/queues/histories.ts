import assert from 'node:assert/strict';
import { ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import type { RunningWork } from '@perigee/scheduling/queues/work-item';
import { WorkQueues } from '@perigee/scheduling/queues/work-queues';
import fc from 'fast-check';
import { type Happening, histories, roomBeside } from './history.ts';
import { choosePlainly, guaranteedHeads, type Plain, pathOf, usedBy } from './oracle.ts';
import { assertNothingLeft, Play } from './play-history.ts';

/** Nobody is beyond a capability because of a release: not the queue, and none above it. */
const assertCapabilities = (play: Play, released: string): void => {
  const work = play.plain.running.get(released);
  assert.ok(work !== undefined);
  const { queue, amounts } = work;
  for (let at = queue; at !== ROOT_QUEUE; ) {
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

const MOST_RECLAIMS = 100;

const without = (running: Plain['running'], gone: ReadonlySet<string>): Plain['running'] =>
  new Map([...running].filter(([key]) => !gone.has(key)));

const IMPATIENT = { afterMs: 2500, forMs: 2500 };
const REASONS_FOR_GOOD = ['data', 'no-queue', 'closed', 'has-parts', 'never', 'never-by-limit'];

/** Releases what can be. The keys, in order. */
const releaseAll = (play: Play): readonly string[] => {
  const released: string[] = [];
  for (let chosen = play.release(); chosen !== undefined; chosen = play.release()) {
    assertCapabilities(play, chosen.item.key);
    released.push(chosen.item.key);
  }
  assert.deepEqual(guaranteedHeads(play.plain, play.fits), [], 'others starve a guarantee');
  return released;
};

/** All that runs ends, again and again, until nothing more is released. */
const drain = (play: Play): readonly string[] => {
  const released: string[] = [];
  for (let idle = 0; idle < 5; idle++) {
    for (const work of [...play.plain.running.values()]) {
      play.happen({ kind: 'wait', ms: 4 });
      play.end(work);
      const more = releaseAll(play);
      if (more.length > 0) idle = 0;
      released.push(...more);
    }
    play.happen({ kind: 'wait', ms: 11 });
    released.push(...releaseAll(play));
  }
  return released;
};

const playImpatiently = (history: readonly Happening[]): readonly string[] => {
  const play = new Play(new WorkQueues(IMPATIENT));
  const released = history.flatMap((happening) => {
    play.happen(happening);
    return releaseAll(play);
  });
  const rest = drain(play);
  for (const key of play.plain.items.keys()) {
    const kind = play.queues.verdictOf(key)?.kind ?? '';
    assert.ok(REASONS_FOR_GOOD.includes(kind), `nothing runs, and ${key} waits: ${kind}`);
  }
  assertNothingLeft(play);
  return [...released, ...rest];
};

/**
 * While room is kept for overdue work: no capability is exceeded, no guarantee starves, and when everything ends, all
 * that can run has run. The same history plays the same way.
 */
export const checkOverdueWork = (runs: number): void =>
  fc.assert(
    fc.property(histories, (history) => {
      assert.deepEqual(playImpatiently(history), playImpatiently(history));
    }),
    { numRuns: runs },
  );

const assertGuarantee = ({ plain }: Play, { queue, amounts }: RunningWork): void => {
  for (const { name, guarantee } of pathOf(plain, queue) ?? []) {
    for (const [resource, amount] of guarantee) {
      const isKept = !amounts.has(resource) || usedBy(plain, name, resource) >= Number(amount);
      assert.ok(isKept, `${name} lost what is guaranteed to it`);
    }
  }
};

/** Reclaims until nothing is due. Returns the number of rounds. */
const reclaimAll = (play: Play): number => {
  for (let count = 0; count < MOST_RECLAIMS; count++) {
    const reclaim = play.queues.chooseReclaim(
      {
        fits: (item, gone) => roomBeside(without(play.plain.running, gone))(item, new Set()),
        mostVictims: 4,
      },
      play.now,
    );
    if (reclaim === undefined) return count;
    const { item, victims } = reclaim;
    for (const victim of victims) play.takeBack(victim);
    for (const victim of victims) if (victim.queue !== item.queue) assertGuarantee(play, victim);
    const released = releaseAll(play);
    assert.ok(released.includes(item.key), `${item.key} got nothing of what was taken for it`);
  }
  return MOST_RECLAIMS;
};

/** Reclaims help whom they are for, take no guarantee, and come to an end. */
export const checkReclaims = (runs: number): void =>
  fc.assert(
    fc.property(histories, (history) => {
      const play = new Play(
        new WorkQueues({ afterMs: Number.POSITIVE_INFINITY, forMs: 1_000_000 }),
      );
      for (const happening of history) {
        play.happen(happening);
        releaseAll(play);
        assert.ok(reclaimAll(play) < MOST_RECLAIMS, 'it never ends');
      }
      assertNothingLeft(play);
    }),
    { numRuns: runs },
  );
