import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import type { Suggestion } from '@perigee/scheduling/suggest/suggestion';
import { FIRST_SUGGESTIONS } from './first-suggestions.ts';
import type { Situation } from './situation.ts';
import { openSituations, type SituationFleet, type SituationWorld } from './situation-world.ts';
import { SITUATIONS } from './situations/all-situations.ts';

let fleet: SituationFleet;
const worlds = new Map<Situation, SituationWorld>();
const told = new Map<Situation, WorkExplanation>();
const suggested = new Map<Situation, Suggestion>();
const mended = new Map<Situation, WorkExplanation>();

const targetOf = ({ target = 'deployment/web' }: Situation): string => target;

const isMended = ({ name, remedy }: Situation): boolean =>
  FIRST_SUGGESTIONS[name] !== undefined || remedy !== undefined;

/** All of them at once in one fleet, each in a namespace of its own: then time has to pass only once. */
before(async () => {
  fleet = await openSituations();
  for (const situation of SITUATIONS) {
    const world = await fleet.open(situation.name, situation.labels);
    worlds.set(situation, world);
    await situation.make(world);
  }
  await fleet.advance(60_000);
  for (const situation of SITUATIONS) {
    told.set(situation, await fleet.explain(targetOf(situation), situation.name));
  }
  for (const situation of SITUATIONS) {
    const [first] = await fleet.suggest(targetOf(situation), situation.name);
    if (first !== undefined) suggested.set(situation, first);
  }
  for (const [situation, world] of worlds) {
    const { changes } = suggested.get(situation) ?? {};
    if (changes === undefined) await situation.remedy?.(world);
    else for (const change of changes) await fleet.follow(change);
  }
  await fleet.advance(180_000);
  for (const situation of SITUATIONS.filter(isMended)) {
    mended.set(situation, await fleet.explain(targetOf(situation), situation.name));
  }
});

after(() => fleet[Symbol.asyncDispose]());

describe('ways in which work does not run', () => {
  it('are at least forty', () => {
    assert.ok(SITUATIONS.length >= 40, String(SITUATIONS.length));
  });

  it('are mended by a first suggestion wherever something that is decided here mends them', () => {
    const found = [...suggested].map(([{ name }, { changes }]) => [
      name,
      changes.map(({ reason }) => reason).join(' and '),
    ]);
    assert.deepEqual(Object.fromEntries(found), FIRST_SUGGESTIONS);
  });

  for (const situation of SITUATIONS) {
    it(`${situation.name}: the cause is named`, () => {
      const { summary, findings, state } = told.get(situation) as WorkExplanation;
      assert.match(summary, situation.summary);
      const first = findings.find(({ severity }) => severity !== 'info') ?? findings[0];
      assert.equal(first?.reason, situation.reason, JSON.stringify(findings, null, 1));
      assert.notEqual(state, 'running');
    });

    if (!isMended(situation)) continue;
    const how = FIRST_SUGGESTIONS[situation.name] ?? 'a change of a user';
    it(`${situation.name}: ${how} makes it run`, () => {
      const { summary, state, findings } = mended.get(situation) as WorkExplanation;
      // A policy may go on naming a cluster that cannot be used.
      const isWhole = state === 'running' || findings.every(({ reason }) => reason === 'LeftOut');
      assert.ok(isWhole, `${summary}\n${JSON.stringify(findings, null, 1)}`);
    });
  }
});
