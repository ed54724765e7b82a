import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  difference,
  EMPTY_SET,
  type FieldSet,
  insertPath,
  intersection,
  isEmptySet,
  recursiveDifference,
  sameSet,
  union,
} from '@perigee/kubernetes/meta/field-set';
import fc from 'fast-check';
import { describePath, pathsOf } from '../../src/apply/path-element.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 8 });

const setOf = (members: readonly (readonly string[])[]): FieldSet => {
  const set: { [element: string]: FieldSet } = {};
  for (const member of members) insertPath(set, member);
  return set;
};

const textsOf = (set: FieldSet): Set<string> => new Set([...pathsOf(set)].map((p) => p.join('|')));

const texts = (members: readonly (readonly string[])[]): Set<string> =>
  new Set(members.map((member) => member.join('|')));

const check = (law: (a: string[][], b: string[][]) => void): void =>
  fc.assert(fc.property(paths, paths, law), { numRuns: 200 });

describe('field sets', () => {
  it('hold exactly the paths that were put in', () => {
    check((a) => assert.deepEqual(textsOf(setOf(a)), texts(a)));
  });

  it('unite', () => {
    check((a, b) => {
      const united = union(setOf(a), setOf(b));
      assert.deepEqual(textsOf(united), texts(a).union(texts(b)));
      assert.ok(sameSet(united, setOf([...a, ...b])));
    });
  });

  it('intersect', () => {
    check((a, b) => {
      const both = intersection(setOf(a), setOf(b));
      assert.deepEqual(textsOf(both), texts(a).intersection(texts(b)));
    });
  });

  it('subtract path by path, so that what lies below a path stays', () => {
    check((a, b) => {
      const left = difference(setOf(a), setOf(b));
      assert.deepEqual(textsOf(left), texts(a).difference(texts(b)));
    });
  });

  it('subtract recursively, with all that lies below', () => {
    check((a, b) => {
      const gone = [...texts(b)];
      const kept = [...texts(a)].filter(
        (text) => !gone.some((other) => text === other || text.startsWith(`${other}|`)),
      );
      assert.deepEqual(textsOf(recursiveDifference(setOf(a), setOf(b))), new Set(kept));
    });
  });

  it('are empty after all was subtracted', () => {
    check((a) => assert.ok(isEmptySet(difference(setOf(a), setOf(a)))));
  });

  it('stay the same object where nothing changes', () => {
    const set = setOf([['f:a', 'f:b'], ['f:c']]);
    assert.equal(union(set, setOf([['f:c']])), set);
    assert.equal(difference(set, setOf([['f:a']])), set);
    assert.equal(recursiveDifference(set, EMPTY_SET), set);
  });

  it('read like paths', () => {
    const text = describePath(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name']);
    assert.equal(text, '.spec.ports[port=80,protocol="TCP"].name');
    assert.equal(describePath(['f:tags', 'v:"a"']), '.tags[="a"]');
    assert.equal(describePath(['f:list', 'i:3']), '.list[3]');
  });
});
