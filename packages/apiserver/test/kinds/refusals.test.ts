import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorded, setUpBuiltinApi } from './builtin-api.ts';
import { asSet, type CaseOfRefusal, causesOf } from './causes-of.ts';

for (const { name, old, input, causes } of recorded<CaseOfRefusal>('refusals.jsonl')) {
  test(`${causes.length === 0 ? 'takes' : 'refuses'} a ${name}`, async () => {
    const { create, update } = await setUpBuiltinApi();
    if (old !== undefined) await create(old);
    const answer = await causesOf(old === undefined ? create(input, true) : update(input));
    assert.deepEqual(asSet(answer), asSet(causes));
  });
}
