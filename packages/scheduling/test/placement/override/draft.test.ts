import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { OverrideError } from '../../../src/errors.ts';
import { applyPolicies } from '../../../src/placement/override/apply-policies.ts';
import { Draft } from '../../../src/placement/override/draft.ts';

/** As many as the API server takes in one map. */
const MANY = 20_000;

const metadata = { name: 'web', namespace: 'shop' };
const member = { name: 'm1', labels: {}, provider: '', region: '', zones: [] };

const override = (object: JsonObject, overriders: object, rules = 1): JsonObject => {
  const overrideRules = Array.from({ length: rules }, () => ({ overriders }));
  const policy = { metadata: { name: 'many', namespace: 'shop' }, spec: { overrideRules } };
  const policies = { cluster: [], namespaced: [policy as never] };
  const format = { parse: JSON.parse, format: JSON.stringify };
  return applyPolicies({ metadata, ...object } as never, member as never, policies, format).object;
};

const keys = Array.from({ length: MANY }, (_, at) => `key${at}`);
const entries = (value: string) => Object.fromEntries(keys.map((key) => [key, value]));

describe('many overrides of a large object', () => {
  it('take no longer than their number, as 20,000 of 20,000 entries did: minutes', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', data: entries('old') };
    const plaintext = keys.map((key) => ({
      path: `/data/${key}`,
      operator: 'replace',
      value: 'new',
    }));
    assert.deepEqual(override(object, { plaintext }).data, entries('new'));
    assert.equal(object.data.key0, 'old');
  });

  const containers = keys.map((name) => ({ name, image: 'nginx' }));
  const annotations = { ...metadata, annotations: entries('old') };
  const text = JSON.stringify(keys);
  const replaceTag = { component: 'Tag', operator: 'replace', value: 'v1' };
  const annotate = { operator: 'add', value: { a: 'b' } };
  const editText = { fieldPath: '/data/a', json: [{ subPath: '/0', operator: 'remove' }] };
  const cases: readonly (readonly [what: string, object: JsonObject, overriders: object])[] = [
    [
      'of every image',
      { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec: { containers } } } },
      { imageOverrider: Array.from({ length: 100 }, () => replaceTag) },
    ],
    [
      'of one among many annotations',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: annotations },
      { annotationsOverrider: [annotate] },
    ],
    [
      'of a document in a field',
      { apiVersion: 'v1', kind: 'ConfigMap', data: { a: text } },
      { fieldOverrider: Array.from({ length: 100 }, () => editText) },
    ],
  ];
  for (const [what, object, overriders] of cases) {
    it(`are refused when they take too long together: ${what}`, () => {
      assert.throws(() => override(object, overriders, 1000), OverrideError);
    });
  }
});

describe('a draft', () => {
  it('leaves alone what it was made of, and the values that edits bring', () => {
    const original = { list: [{ a: 1 }] };
    const brought = { b: [1] };
    const draft = new Draft(original);
    draft.edit({ operator: 'replace', path: '/list/0/a', value: 2 });
    draft.edit({ operator: 'add', path: '/list/-', value: brought });
    draft.edit({ operator: 'add', path: '/list/1/b/0', value: 0 });
    draft.edit({ operator: 'remove', path: '/list/0/a' });
    assert.deepEqual(draft.value, { list: [{}, { b: [0, 1] }] });
    assert.deepEqual([original, brought], [{ list: [{ a: 1 }] }, { b: [1] }]);
  });

  it('takes the key __proto__ for a field like any other', () => {
    const draft = new Draft(JSON.parse('{"__proto__":{"a":1}}') as JsonObject);
    draft.edit({ operator: 'add', path: '/__proto__/b', value: 2 });
    draft.edit({ operator: 'add', path: '/c', value: {} });
    draft.edit({ operator: 'add', path: '/c/__proto__', value: { d: 3 } });
    const text = '{"__proto__":{"a":1,"b":2},"c":{"__proto__":{"d":3}}}';
    assert.equal(JSON.stringify(draft.value), text);
    draft.edit({ operator: 'remove', path: '/__proto__' });
    assert.deepEqual(Object.keys(draft.value as JsonObject), ['c']);
  });
});
