import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Labels } from '@perigee/api/values/label-requirement';
import {
  formatLabelSelector,
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorOf,
  matchesLabels,
  parseLabelSelector,
} from '@perigee/api/values/label-selector';
import fc from 'fast-check';

type Case<T> =
  | [input: T, text: string, matches: string]
  | [input: T, failure: { readonly error: string }];

/** Results of the Go implementation of Kubernetes 1.36; `matches` has a 1 for each set that matches. */
const cases: {
  readonly labelSets: readonly Labels[];
  readonly labels: readonly Case<string>[];
  readonly specs: readonly Case<LabelSelectorSpec>[];
} = JSON.parse(readFileSync(new URL('./selector-cases.json', import.meta.url), 'utf8'));

const check = <T>([input, ...expected]: Case<T>, read: (input: T) => LabelSelector): void => {
  const context = JSON.stringify(input);
  if (expected.length === 1) {
    assert.throws(() => read(input), { name: 'ParseError', message: expected[0].error }, context);
    return;
  }
  const selector = read(input);
  const [text, matches] = expected;
  assert.equal(formatLabelSelector(selector), text, context);
  const actual = cases.labelSets.map((labels) => (matchesLabels(selector, labels) ? '1' : '0'));
  assert.equal(actual.join(''), matches, context);
};

describe('as Kubernetes does', () => {
  test('reads the text of a selector', () => {
    for (const example of cases.labels) check(example, parseLabelSelector);
  });

  test('reads the selector of a spec', () => {
    for (const example of cases.specs) check(example, labelSelectorOf);
  });
});

test('an absent selector selects nothing, an empty one everything', () => {
  const examples: readonly (Labels | undefined)[] = [undefined, {}, { a: 'b' }];
  for (const labels of examples) {
    assert.equal(matchesLabels(labelSelectorOf(undefined), labels), false);
    assert.equal(matchesLabels(labelSelectorOf(null), labels), false);
    assert.equal(matchesLabels(labelSelectorOf({}), labels), true);
    assert.equal(
      matchesLabels(labelSelectorOf({ matchLabels: {}, matchExpressions: [] }), labels),
      true,
    );
    assert.equal(matchesLabels(parseLabelSelector(''), labels), true);
  }
});

test('labels named like parts of every object are labels like others', () => {
  assert.equal(matchesLabels(parseLabelSelector('constructor'), {}), false);
  assert.equal(matchesLabels(parseLabelSelector('!toString'), {}), true);
  assert.equal(matchesLabels(parseLabelSelector('constructor=a'), { constructor: 'a' }), true);
});

const word = fc.stringMatching(/^[a-z]([a-z0-9.-]{0,5}[a-z0-9])?$/);
const requirement = fc.oneof(
  fc
    .tuple(word, fc.constantFrom('=', '==', '!='), fc.option(word, { nil: '' }))
    .map((parts) => parts.join('')),
  fc
    .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { maxLength: 3 }))
    .map(([key, operator, values]) => `${key} ${operator} (${values})`),
  fc.tuple(fc.constantFrom('', '!'), word).map((parts) => parts.join('')),
  fc.tuple(word, fc.constantFrom('<', '>'), fc.integer({ min: 0 })).map((parts) => parts.join('')),
);

test('what is written can be read again, and is written the same', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 5 }), (requirements) => {
      const selector = parseLabelSelector(requirements.join(','));
      const text = formatLabelSelector(selector);
      assert.equal(formatLabelSelector(parseLabelSelector(text)), text);
      const keys =
        selector.selects === 'matching' ? selector.requirements.map(({ key }) => key) : [];
      assert.deepEqual(keys, keys.toSorted());
    }),
    { numRuns: 200 },
  );
});
