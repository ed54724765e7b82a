import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { applyMergePatch } from '../../src/patch/merge-patch.ts';
import { replayStep, type Step, viewOf } from './replay.ts';

/** The schema of the kind, then for each of some objects all writes to it, as kube-apiserver v1.36.3 took them. */
const [schema, ...histories] = readFileSync(new URL('facts.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line)) as [StructuralSchema, ...(readonly Step[])[]];

describe('writes by several managers end as on kube-apiserver', () => {
  for (const [index, steps] of histories.entries()) {
    it(`object ${index}: ${steps.map(({ op }) => op).join(', ')}`, () => {
      let live: JsonObject | undefined;
      let expected: JsonObject = {};
      for (const [at, step] of steps.entries()) {
        const outcome = replayStep(schema, live, step);
        const where = `step ${at}, ${step.op} by ${step.manager}`;
        if ('conflicts' in outcome) {
          const causes = outcome.conflicts.map(({ message, field }) => [message, field]).sort();
          assert.deepEqual(causes, step.conflicts, where);
        } else {
          assert.equal(step.conflicts, undefined, where);
          expected = applyMergePatch(expected, step.changes ?? {});
          // Through JSON: an absent field and one that is undefined are the same.
          assert.deepEqual(JSON.parse(JSON.stringify(viewOf(outcome.object))), expected, where);
          live = outcome.object;
        }
      }
    });
  }
});
