import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import type { Situation } from './situation.ts';
import { openSituations, type SituationFleet, type SituationWorld } from './situation-world.ts';
import { SITUATIONS } from './situations/all-situations.ts';

let fleet: SituationFleet;
const worlds = new Map<Situation, SituationWorld>();
const told = new Map<Situation, WorkExplanation>();
const mended = new Map<Situation, WorkExplanation>();

const targetOf = ({ target = 'deployment/web' }: Situation): string => target;

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
  for (const [situation, world] of worlds) await situation.remedy?.(world);
  await fleet.advance(180_000);
  for (const situation of SITUATIONS.filter(({ remedy }) => remedy !== undefined)) {
    mended.set(situation, await fleet.explain(targetOf(situation), situation.name));
  }
});

after(() => fleet[Symbol.asyncDispose]());

describe('ways in which work does not run', () => {
  it('are at least forty', () => {
    assert.ok(SITUATIONS.length >= 40, String(SITUATIONS.length));
  });

  for (const situation of SITUATIONS) {
    it(`${situation.name}: the cause is named`, () => {
      const { summary, findings, state } = told.get(situation) as WorkExplanation;
      assert.match(summary, situation.summary);
      const first = findings.find(({ severity }) => severity !== 'info') ?? findings[0];
      assert.equal(first?.reason, situation.reason, JSON.stringify(findings, null, 1));
      assert.notEqual(state, 'running');
    });

    if (situation.remedy === undefined) continue;
    it(`${situation.name}: what a user can change makes it run`, () => {
      const { summary, state, findings } = mended.get(situation) as WorkExplanation;
      assert.equal(state, 'running', `${summary}\n${JSON.stringify(findings, null, 1)}`);
    });
  }
});
