import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { conditionReasons } from '@perigee/api/reasons/condition-reasons';
import { eventReasons } from '@perigee/api/reasons/event-reasons';
import type { ReasonsOfKind } from '@perigee/api/reasons/reason';
import { reasonsElsewhere } from '@perigee/api/reasons/reasons-elsewhere';
import { verdictReasons } from '@perigee/api/reasons/verdict-reasons';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';

const ROOT = new URL('..', import.meta.url).pathname;
const FOLDERS =
  '{scheduling/src,controllers/src,member/src/faults,member/src/pod-group,kube/src/controller}';
const sources = globSync(`packages/${FOLDERS}/**/*.ts`, { cwd: ROOT })
  .filter((file) => !file.includes('/interpreter/'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

const inConditions = [
  ...Object.values<ReasonsOfKind>(conditionReasons)
    .flatMap(({ conditions }) => Object.values(conditions))
    .flatMap((reasons) => Object.keys(reasons)),
  ...reasonsElsewhere.flatMap((reasons) => Object.keys(reasons)),
];

const wordsOf = (pattern: RegExp): readonly string[] =>
  [...sources.matchAll(pattern)].map(([, word]) => word as string);

test('every reason of a condition is in the list', () => {
  const reasons = new Set([...inConditions, ...Object.keys(verdictReasons)]);
  for (const word of wordsOf(/\breason: '([A-Z]\w+)'/g)) assert.ok(reasons.has(word), word);
});

test('every reason of an event is in the list, and no other', () => {
  const words = new Set([
    ...wordsOf(/events\.(?:normal|warning)\([^,]+,\s*'([A-Z]\w+)'/g),
    ...['Pending', 'Active', 'Draining'].map((phase) => `Scheduler${phase}`),
  ]);
  assert.deepEqual([...words].toSorted(), Object.keys(eventReasons).toSorted());
});

test('every reason of a filter is in the list, and no other', () => {
  const words = standardRules.filters.flatMap(({ reasons }) => reasons);
  assert.deepEqual([...new Set(words)].toSorted(), Object.keys(verdictReasons).toSorted());
});

test('every listed reason of a condition is written somewhere', () => {
  for (const word of inConditions) {
    assert.match(sources, new RegExp(`\\b${word}\\b`), word);
  }
});
