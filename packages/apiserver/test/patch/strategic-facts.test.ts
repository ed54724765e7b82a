import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { schemaOf } from '@perigee/kubernetes/types/schema-of';
import type { JsonObject } from '@perigee/schema/json';
import { applyStrategicMergePatch } from '../../src/patch/strategic-merge-patch.ts';

interface Fact {
  readonly type: string;
  readonly live: JsonObject;
  readonly patch: JsonObject;
  readonly result: JsonObject;
}

/** Patches of built-in objects and what kube-apiserver v1.36.3 made of them, without its defaults. */
const facts = readFileSync(new URL('strategic-facts.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): Fact => JSON.parse(line));

describe('strategic merge patches end as on kube-apiserver', () => {
  for (const [index, { type, live, patch, result }] of facts.entries()) {
    it(`patch ${index} of a ${type}`, () => {
      assert.deepEqual(applyStrategicMergePatch(live, patch, schemaOf(type)), result);
    });
  }
});
