import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { trackUpdate, type UpdateToTrack } from '../../src/apply/track-update.ts';

const SPEC = {
  map: { type: 'object', additionalProperties: { type: 'string' } },
  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
} satisfies StructuralSchema['properties'];

const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: SPEC } },
};

const timeOf = (hour: number): string => `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z`;

const objectOf = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', ...metadata },
  spec,
});

const track = (
  manager: string,
  next: JsonObject,
  live?: JsonObject,
  more?: Partial<UpdateToTrack>,
): JsonObject =>
  trackUpdate({
    schema: SCHEMA,
    apiVersion: 'example.com/v1',
    time: timeOf(0),
    manager,
    next,
    ...(live ? { live } : {}),
    ...more,
  });

const entriesOf = (object: JsonObject): readonly JsonObject[] =>
  ((object.metadata as JsonObject).managedFields ?? []) as readonly JsonObject[];

const fieldsOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    entriesOf(object).map(({ manager, subresource, fieldsV1 }) => [
      subresource === undefined ? `${manager}` : `${manager}/${subresource}`,
      fieldsV1,
    ]),
  );

describe('an update', () => {
  it('gives what it adds or changes to its manager, and what it removes to nobody', () => {
    const one = track('m1', objectOf({ map: { a: '1', b: '1', c: '1' } }));
    const two = track('m2', { ...one, spec: { map: { a: '1', b: '2' } } }, one);
    assert.deepEqual(fieldsOf(two), {
      m1: { 'f:spec': { '.': {}, 'f:map': { '.': {}, 'f:a': {} } } },
      m2: { 'f:spec': { 'f:map': { 'f:b': {} } } },
    });
  });

  it('keeps an entry, and its time, when it changes nothing', () => {
    const live = track('m', objectOf({ tags: ['a'] }));
    const next = track('m', structuredClone(live), live, { time: timeOf(1) });
    assert.equal(entriesOf(next)[0], entriesOf(live)[0]);
  });

  it('begins with what is always there in an object of the kind', () => {
    const object = track('m', objectOf({ tags: ['a'] }), undefined, { blank: { spec: {} } });
    assert.deepEqual(fieldsOf(object), { m: { 'f:spec': { 'f:tags': { '.': {}, 'v:"a"': {} } } } });
  });

  it('tells subresources apart', () => {
    const live = track('m', objectOf({ tags: ['a'] }));
    const next = track('m', { ...live, spec: { tags: ['a', 'b'] } }, live, { subresource: 'x' });
    assert.deepEqual(Object.keys(fieldsOf(next)), ['m', 'm/x']);
  });

  for (const reset of [[], [{}]]) {
    it(`ends the tracking by managedFields: ${JSON.stringify(reset)}`, () => {
      const live = track('m', objectOf({ tags: ['a'] }));
      const next = track('m', objectOf({ tags: ['b'] }, { managedFields: reset }), live);
      assert.deepEqual(entriesOf(next), []);
      assert.deepEqual(entriesOf(track('m', objectOf({ tags: ['c'] }), next)), []);
    });
  }

  it('goes on with the live owners when it brings none, or none that can be read', () => {
    const live = track('m', objectOf({ tags: ['a'] }));
    for (const managedFields of [undefined, null, [{ manager: 'x', operation: 'spam' }]]) {
      const metadata = managedFields === undefined ? {} : { managedFields };
      assert.deepEqual(
        fieldsOf(track('m', objectOf({ tags: ['a'] }, metadata), live)),
        fieldsOf(live),
      );
    }
  });

  it('takes owners that it brings, in whatever order their keys come', () => {
    const fieldsV1 = { 'f:spec': { 'f:tags': { 'v:"b"': {}, 'v:"a"': {}, 'x:unknown': {} } } };
    const entry = { manager: 'x', operation: 'Update', apiVersion: 'v', fieldsType: 'FieldsV1' };
    const live = track('m', objectOf({ tags: ['a', 'b'] }));
    const metadata = { managedFields: [{ ...entry, fieldsV1 }] };
    const next = track('m', objectOf({ tags: ['a'] }, metadata), live);
    assert.deepEqual(fieldsOf(next), { x: { 'f:spec': { 'f:tags': { 'v:"a"': {} } } } });
  });

  it('owns duplicates in a set as one', () => {
    const live = track('m1', objectOf({ tags: ['a'] }));
    const twice = track('m2', { ...live, spec: { tags: ['a', 'a'] } }, live);
    assert.deepEqual(fieldsOf(twice).m2, { 'f:spec': { 'f:tags': { 'v:"a"': {} } } });
  });

  it('does not track what cannot be told apart', () => {
    const live = track('m', objectOf({ tags: ['a'] }));
    assert.deepEqual(entriesOf(track('m', objectOf({ tags: [{}] }), live)), []);
  });

  it('follows a list that became atomic since it was recorded', () => {
    const live = track('m1', objectOf({ tags: ['a'], map: { a: '1' } }));
    const tags = { type: 'array', items: { type: 'string' } } as const;
    const schema: StructuralSchema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { ...SPEC, tags } } },
    };
    const next = { ...live, spec: { tags: ['a'], map: { a: '1', b: '2' } } };
    assert.deepEqual(fieldsOf(track('m2', next, live, { schema })), {
      m1: { 'f:spec': { '.': {}, 'f:map': { '.': {}, 'f:a': {} }, 'f:tags': {} } },
      m2: { 'f:spec': { 'f:map': { 'f:b': {} } } },
    });
  });

  it('knows the metadata of a resource in a resource', () => {
    const embedded: StructuralSchema = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const schema: StructuralSchema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { template: embedded } } },
    };
    const metadata = { finalizers: ['a/b'], ownerReferences: [{ uid: 'u', name: 'n' }] };
    const object = track('m', objectOf({ template: { metadata, x: [1] } }), undefined, { schema });
    const template = (fieldsOf(object).m as JsonObject)['f:spec'] as JsonObject;
    assert.deepEqual(template['f:template'], {
      '.': {},
      'f:metadata': {
        '.': {},
        'f:finalizers': { '.': {}, 'v:"a/b"': {} },
        'f:ownerReferences': { '.': {}, 'k:{"uid":"u"}': {} },
      },
      'f:x': {},
    });
  });

  it('folds the oldest of more than ten updaters into one', () => {
    let live = track('m00', objectOf({ map: { m00: 'x' } }));
    for (let hour = 1; hour <= 12; hour++) {
      const manager = `m${String(hour).padStart(2, '0')}`;
      const { map } = live.spec as { readonly map: JsonObject };
      const next = { ...live, spec: { map: { ...map, [manager]: 'x' } } };
      live = track(manager, next, live, { time: timeOf(hour) });
    }
    const [oldest, ...others] = entriesOf(live);
    assert.equal(others.length, 9);
    assert.equal(oldest?.manager, 'ancient-changes');
    assert.equal(oldest?.time, timeOf(3));
    assert.deepEqual(oldest?.fieldsV1, {
      'f:spec': {
        '.': {},
        'f:map': { '.': {}, 'f:m00': {}, 'f:m01': {}, 'f:m02': {}, 'f:m03': {} },
      },
    });
  });
});
