import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { type Apply, serverSideApply } from '../../src/apply/server-side-apply.ts';
import { trackUpdate, type UpdateToTrack } from '../../src/apply/track-update.ts';
import { unlessOnlyTimesDiffer } from '../../src/apply/unless-only-times-differ.ts';
import { PatchError } from '../../src/errors.ts';

const text: StructuralSchema = { type: 'string' };

const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        mode: text,
        map: { type: 'object', additionalProperties: text },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: text,
            },
          },
        },
      },
    },
  },
};

const FIRST = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T01:00:00Z';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const objectOf = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'b', ...metadata },
  spec,
});

const base = { schema: SCHEMA, apiVersion: 'example.com/v1', time: FIRST, force: false };

const apply = (manager: string, config: JsonObject, live?: JsonObject, more?: Partial<Apply>) =>
  serverSideApply({ ...base, manager, config, ...(live ? { live } : {}), ...more });

const applied = (...input: Parameters<typeof apply>): JsonObject => {
  const outcome = apply(...input);
  assert.ok('object' in outcome, 'conflicts' in outcome ? outcome.conflicts.message : '');
  return outcome.object;
};

const updated = (
  manager: string,
  next: JsonObject,
  live?: JsonObject,
  more?: Partial<UpdateToTrack>,
): JsonObject => trackUpdate({ ...base, manager, next, ...(live ? { live } : {}), ...more });

const entriesOf = (object: JsonObject): readonly JsonObject[] =>
  ((object.metadata as JsonObject).managedFields ?? []) as readonly JsonObject[];

const managersOf = (object: JsonObject): string[] =>
  entriesOf(object).map(({ manager, operation }) => `${manager} ${operation}`);

describe('server-side apply', () => {
  it('creates an object whose fields belong to the manager, but not what identifies it', () => {
    const object = applied('m', objectOf({ size: 1, tags: ['x'] }, { labels: { l: '1' } }));
    assert.deepEqual(entriesOf(object), [
      {
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'example.com/v1',
        time: FIRST,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:l': {} } },
          'f:spec': { 'f:size': {}, 'f:tags': { 'v:"x"': {} } },
        },
      },
    ]);
  });

  it('finds list items by keys of which one has a default', () => {
    const live = applied('m', objectOf({ ports: [{ port: 80, protocol: 'TCP', name: 'a' }] }));
    const next = applied('m', objectOf({ ports: [{ port: 80, name: 'b' }] }), live);
    assert.deepEqual((next.spec as JsonObject).ports, [{ port: 80, name: 'b' }]);
  });

  it('removes what the manager no longer applies, unless somebody else owns it', () => {
    const one = applied('m1', objectOf({ tags: ['a', 'b'], mode: 'x' }));
    const two = applied('m2', objectOf({ tags: ['b'] }), one);
    const three = applied('m1', objectOf({ mode: 'x' }), two);
    assert.deepEqual(three.spec, { tags: ['b'], mode: 'x' });
  });

  it('makes a map that lost all its fields null, as kube-apiserver does', () => {
    const one = updated('u', objectOf({ map: {}, size: 1 }));
    const two = applied('m', objectOf({ map: { k: 'v' } }), one);
    assert.deepEqual(applied('m', objectOf({}), two).spec, { map: null, size: 1 });
  });

  it('reports a conflict in the words of kubectl', () => {
    const live = updated('editor', objectOf({ size: 1 }), undefined, { subresource: 'scale' });
    assert.deepEqual(apply('m', objectOf({ size: 2 }), live), {
      conflicts: {
        message:
          'Apply failed with 1 conflict: conflict with "editor" with subresource "scale" using example.com/v1: .spec.size',
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "editor" with subresource "scale" using example.com/v1',
            field: '.spec.size',
          },
        ],
      },
    });
  });

  it('reports conflicts by manager', () => {
    const one = applied('m2', objectOf({ size: 1, mode: 'x' }));
    const two = applied('m1', objectOf({ ports: [{ port: 80, name: 'a' }] }), one);
    const config = objectOf({ size: 2, mode: 'y', ports: [{ port: 80, name: 'b' }] });
    const outcome = apply('m3', config, two);
    assert.ok('conflicts' in outcome);
    assert.equal(
      outcome.conflicts.message,
      'Apply failed with 3 conflicts: conflicts with "m1":\n' +
        '- .spec.ports[port=80,protocol="TCP"].name\n' +
        'conflicts with "m2":\n- .spec.mode\n- .spec.size',
    );
  });

  it('reports what a manager owns through a subresource before the rest of what it owns', () => {
    const one = updated('editor', objectOf({ mode: 'x' }));
    const two = updated('editor', objectOf({ mode: 'x', size: 1 }), one, { subresource: 'scale' });
    const outcome = apply('m', objectOf({ mode: 'y', size: 2 }), two);
    assert.ok('conflicts' in outcome);
    assert.deepEqual(
      outcome.conflicts.causes.map(({ field }) => field),
      ['.spec.size', '.spec.mode'],
    );
  });

  it('takes fields from their owners by force', () => {
    const live = applied('m1', objectOf({ size: 1, mode: 'x' }));
    const next = applied('m2', objectOf({ size: 2 }), live, { force: true });
    assert.deepEqual(next.spec, { size: 2, mode: 'x' });
    assert.deepEqual(
      entriesOf(next).map(({ fieldsV1 }) => fieldsV1),
      [{ 'f:spec': { 'f:mode': {} } }, { 'f:spec': { 'f:size': {} } }],
    );
  });

  it('changes nothing when it is repeated, not even a time', () => {
    const live = applied('m', objectOf({ size: 1 }));
    assert.deepEqual(applied('m', objectOf({ size: 1 }), live, { time: LATER }), live);
  });

  it('tells owners of the past from those of today once defaults are filled in', () => {
    const live = applied('m', objectOf({ size: 1 }));
    const [entry] = entriesOf(live);
    const metadata = {
      ...(live.metadata as JsonObject),
      managedFields: [{ ...entry, time: LATER }],
    };
    assert.equal(unlessOnlyTimesDiffer(live, { ...live, metadata }), live);
    const changed = { ...live, metadata, spec: { size: 2 } };
    assert.equal(unlessOnlyTimesDiffer(live, changed), changed);
  });

  it('gives what was there without owners to before-first-apply', () => {
    const next = applied('m', objectOf({ mode: 'x' }), objectOf({ size: 1 }));
    assert.deepEqual(managersOf(next), ['m Apply', 'before-first-apply Update']);
  });

  it('does not touch the fields that the endpoint resets', () => {
    const resetFields = { 'f:spec': { 'f:size': {} } };
    const object = applied('m', objectOf({ size: 1, mode: 'x' }), undefined, { resetFields });
    assert.deepEqual(entriesOf(object)[0]?.fieldsV1, { 'f:spec': { 'f:mode': {} } });
  });

  it('lets kubectl take over what it applied on the client side, and keeps its annotation', () => {
    const before = JSON.stringify(objectOf({ size: 1, mode: 'x' }));
    const annotations = { [LAST_APPLIED]: before };
    const live = updated(
      'kubectl-client-side-apply',
      objectOf({ size: 1, mode: 'x' }, { annotations }),
    );
    const config = objectOf({ size: 2, mode: '<y>' });
    const next = applied('kubectl', config, live);
    assert.equal(
      ((next.metadata as JsonObject).annotations as JsonObject)[LAST_APPLIED],
      '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"b"},"spec":{"mode":"\\u003cy\\u003e","size":2}}\n',
    );
    assert.ok('conflicts' in apply('another', config, live));
    const edited = updated('editor', { ...live, spec: { size: 5, mode: 'x' } }, live);
    const outcome = apply('kubectl', config, edited);
    assert.ok('conflicts' in outcome);
    assert.deepEqual(
      outcome.conflicts.causes.map(({ field }) => field),
      ['.spec.size'],
    );
  });

  const REFUSED: readonly (readonly [string, JsonObject, string])[] = [
    ['an unknown field', objectOf({ nope: 1 }), '.spec.nope: field not declared in schema'],
    [
      'a wrong type',
      objectOf({ size: 'x' }),
      '.spec.size: expected numeric (int or float), got "x"',
    ],
    [
      'the same item twice',
      objectOf({ tags: ['a', 'a'] }),
      '.spec.tags: duplicate entries for key [="a"]',
    ],
    [
      'an item that is null',
      objectOf({ ports: [null] }),
      '.spec.ports: element 0: associative list with keys may not have a null element',
    ],
  ];
  for (const [name, config, problem] of REFUSED) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => apply('m', config),
        (error) => {
          assert.ok(error instanceof PatchError);
          assert.equal(
            error.message,
            `failed to create typed patch object (b/a; example.com/v1, Kind=Thing): ${problem}`,
          );
          return true;
        },
      );
    });
  }

  it('says so when the live object does not fit the schema', () => {
    const live = { ...objectOf({ tags: [{}] }), metadata: { name: 'a', managedFields: [] } };
    assert.throws(() => apply('m', objectOf({ tags: ['x'] }), live), {
      name: 'PatchError',
      code: 422,
      message: /^failed to create typed live object \(\/a; example.com\/v1, Kind=Thing\): /,
    });
  });

  it('refuses a config with owners', () => {
    assert.throws(() => apply('m', objectOf({}, { managedFields: [] })), {
      message: 'metadata.managedFields must be nil',
    });
  });

  it('treats __proto__ as a name like any other', () => {
    const live = applied(
      'm1',
      objectOf({ map: JSON.parse('{"__proto__":"x","constructor":"y"}') }),
    );
    const config = objectOf({ map: JSON.parse('{"__proto__":"z"}') });
    assert.ok('conflicts' in apply('m2', config, live));
    const next = applied('m2', config, live, { force: true });
    assert.equal(JSON.stringify(next.spec), '{"map":{"__proto__":"z","constructor":"y"}}');
    assert.equal(
      JSON.stringify(applied('m2', objectOf({}), next).spec),
      '{"map":{"constructor":"y"}}',
    );
  });

  it('never changes what it is given', () => {
    const live = applied('m1', objectOf({ size: 1, tags: ['a'] }));
    const config = objectOf({ size: 2, tags: ['b'] });
    const before = structuredClone([live, config]);
    applied('m2', config, live, { force: true });
    assert.deepEqual([live, config], before);
  });
});
