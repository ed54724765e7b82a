import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorded, setUpBuiltinApi } from './builtin-api.ts';
import { type CaseOfDefaults, changesByServer } from './changes-by-server.ts';

const { create } = await setUpBuiltinApi();

for (const { name, input, changes } of recorded<CaseOfDefaults>('defaults.jsonl')) {
  test(`what is filled in for a ${name}`, async () => {
    assert.deepEqual(changesByServer(input, await create(input, true)), changes);
  });
}
