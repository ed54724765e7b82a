import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DoableSuggestion } from '@perigee/cli/placement/suggest/read-suggestions';
import type { WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import { kubectlBinary } from '../clients/client-binaries.ts';
import type { Situation } from './situation.ts';
import { openSituations, type SituationFleet, type SituationWorld } from './situation-world.ts';
import { SITUATIONS } from './situations/all-situations.ts';

const { skip } = kubectlBinary();

let fleet: SituationFleet;
const worlds = new Map<Situation, SituationWorld>();
const told = new Map<Situation, WorkExplanation>();
const suggested = new Map<Situation, readonly DoableSuggestion[]>();
const mended = new Map<Situation, WorkExplanation>();

const targetOf = ({ target = 'deployment/web' }: Situation): string => target;

/** The changes of the first suggestion, by reason; none if nothing is suggested. */
const expectedReasons = ({ mend }: Situation): readonly string[] => {
  if ('first' in mend) return [mend.first];
  return 'chain' in mend ? mend.chain : [];
};

const isMended = ({ mend }: Situation): boolean => !('none' in mend) || mend.remedy !== undefined;

/** Types what was printed, and nothing else. */
const followFirst = async (situation: Situation): Promise<void> => {
  const [first] = suggested.get(situation) ?? [];
  for (const { command, text } of first?.changes ?? []) {
    assert.ok(command, `${situation.name}: no command does this: ${text}`);
    await fleet.type(command);
  }
};

/** All of them at once in one fleet, each in a namespace of its own: then time has to pass only once. */
before(async () => {
  if (skip) return;
  fleet = await openSituations();
  for (const situation of SITUATIONS) {
    const world = await fleet.open(situation.name, situation.labels);
    worlds.set(situation, world);
    await situation.make(world);
  }
  await fleet.advance(60_000);
  for (const situation of SITUATIONS) {
    told.set(situation, await fleet.explain(targetOf(situation), situation.name));
    suggested.set(situation, await fleet.suggest(targetOf(situation), situation.name));
  }
  for (const [situation, world] of worlds) {
    const { mend } = situation;
    if ('none' in mend) await mend.remedy?.(world);
    else await followFirst(situation);
  }
  await fleet.advance(180_000);
  for (const situation of SITUATIONS.filter(isMended)) {
    mended.set(situation, await fleet.explain(targetOf(situation), situation.name));
  }
});

after(() => fleet?.[Symbol.asyncDispose]());

const reasonsOf = ([first]: readonly DoableSuggestion[]): readonly string[] =>
  (first?.changes ?? []).map(({ reason }) => reason);

describe('ways in which work does not run', { skip }, () => {
  it('are at least forty', () => {
    assert.ok(SITUATIONS.length >= 40, String(SITUATIONS.length));
  });

  for (const situation of SITUATIONS) {
    const { name, mend } = situation;

    it(`${name}: the cause is named`, () => {
      const { summary, findings, state } = told.get(situation) as WorkExplanation;
      assert.match(summary, situation.summary);
      const first = findings.find(({ severity }) => severity !== 'info') ?? findings[0];
      assert.equal(first?.reason, situation.reason, JSON.stringify(findings, null, 1));
      assert.notEqual(state, 'running');
    });

    const isSuggested = !('none' in mend);
    const what = isSuggested
      ? `${expectedReasons(situation).join(' and ')} is suggested first`
      : `nothing is suggested, since ${mend.none}`;
    it(`${name}: ${what}`, () => {
      const all = suggested.get(situation) ?? [];
      assert.deepEqual(reasonsOf(all), expectedReasons(situation), JSON.stringify(all));
    });

    if (!isMended(situation)) continue;
    const how = isSuggested ? 'the command that is printed' : 'somebody who knows more';
    it(`${name}: ${how} makes it run`, () => {
      const { summary, state, findings } = mended.get(situation) as WorkExplanation;
      assert.equal(state, 'running', `${summary}\n${JSON.stringify(findings, null, 1)}`);
    });
  }
});
