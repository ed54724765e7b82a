import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { admit } from '@perigee/api/kind/admit';
import { defineKind } from '@perigee/api/kind/define-kind';
import { type FieldError, InvalidObjectError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { int32, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, immutable, optional, withDefault } from '@perigee/schema/structural/schema';

const Warehouse = defineKind({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Warehouse',
  plural: 'warehouses',
  scope: 'Cluster',
  doc: 'A place where goods are kept.',
  spec: check(
    object('What it is.', {
      city: immutable(string('Where it stands.', { minLength: 1 })),
      floors: withDefault(1, int32('How many floors it has.', { minimum: 1 })),
      access: withDefault('Open', oneOf('Who may come in.', ['Open', 'Staff'])),
      gates: optional(list('The gates, by name.', string('A name.'), { maxItems: 3 })),
    }),
    { rule: 'self.access == "Open" || has(self.gates)', message: 'staff need a gate' },
    { rule: 'self.floors >= oldSelf.floors', message: 'floors are not torn down' },
  ),
  otherSpellings: { 'spec.city': ['town'] },
  normalise: (input) =>
    (input.spec as JsonObject | undefined)?.floors === 'many'
      ? { ...input, spec: { ...(input.spec as JsonObject), floors: 9 } }
      : input,
});

const errorsOf = (input: object, old?: object): readonly FieldError[] => {
  try {
    admit(Warehouse, input, old ? { old } : {});
    return [];
  } catch (error) {
    assert.ok(error instanceof InvalidObjectError);
    return error.errors;
  }
};

const warehouse = (spec: JsonValue): JsonObject => ({ metadata: { name: 'north' }, spec });

describe('admission', () => {
  it('renames, reshapes, prunes and fills in, in this order', () => {
    const { object: stored, unknownFields } = admit(
      Warehouse,
      warehouse({ town: 'Turku', floors: 'many', colour: 'red' }),
    );
    assert.deepEqual(stored, {
      apiVersion: 'shop.example.com/v1',
      kind: 'Warehouse',
      metadata: { name: 'north' },
      spec: { city: 'Turku', floors: 9, access: 'Open' },
    });
    assert.deepEqual(unknownFields, ['spec.colour']);
  });

  it('gives the stored form its type', () => {
    const { object: stored } = admit(Warehouse, warehouse({ city: 'Turku' }));
    const floors: number = stored.spec.floors;
    const gates: readonly string[] | undefined = stored.spec.gates;
    assert.deepEqual({ floors, gates }, { floors: 1, gates: undefined });
  });

  it('tells everything that is wrong', () => {
    assert.deepEqual(
      errorsOf(warehouse({ floors: 0, access: 'Nobody', gates: ['a', 'b', 'c', 'd'] })).map(
        ({ field, message }) => `${field}: ${message}`,
      ),
      [
        'spec.floors: Invalid value: 0: spec.floors in body should be greater than or equal to 1',
        'spec.access: Unsupported value: "Nobody": supported values: "Open", "Staff"',
        'spec.gates: Too many: 4: must have at most 3 items',
        'spec.city: Required value',
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ],
    );
  });

  it('says all of it in the message of the error', () => {
    assert.throws(() => admit(Warehouse, warehouse({ city: '' })), {
      name: 'InvalidObjectError',
      message: 'spec.city: Invalid value: "": spec.city in body should be at least 1 chars long',
    });
  });

  it('evaluates rules', () => {
    assert.deepEqual(errorsOf(warehouse({ city: 'Turku', access: 'Staff' })), [
      { reason: 'FieldValueInvalid', field: 'spec', message: 'Invalid value: staff need a gate' },
    ]);
  });

  it('holds an update against the object as it was', () => {
    const old = admit(Warehouse, warehouse({ city: 'Turku' })).object;
    assert.deepEqual(errorsOf(warehouse({ city: 'Turku', floors: 2 }), old), []);
    assert.deepEqual(
      errorsOf(warehouse({ city: 'Oulu' }), old).map(
        ({ field, message }) => `${field}: ${message}`,
      ),
      ['spec.city: Invalid value: "Oulu": field is immutable'],
    );
  });

  it('sees the old object with the defaults that came after it was stored', () => {
    const old = warehouse({ city: 'Turku' });
    assert.deepEqual(errorsOf(warehouse({ city: 'Turku', floors: 2 }), old), []);
    const higher = warehouse({ city: 'Turku', floors: 3 });
    assert.deepEqual(
      errorsOf(warehouse({ city: 'Turku' }), higher).map(({ message }) => message),
      ['Invalid value: floors are not torn down'],
    );
  });

  it('refuses an object of another kind', () => {
    const input = {
      ...warehouse({ city: 'Turku' }),
      kind: 'Depot',
      apiVersion: 'shop.example.com/v2',
    };
    assert.deepEqual(
      errorsOf(input).map(({ field, message }) => `${field}: ${message}`),
      [
        'kind: Invalid value: "Depot": must be Warehouse',
        'apiVersion: Invalid value: "shop.example.com/v2": must be shop.example.com/v1',
      ],
    );
  });

  it('refuses what nests too deep before anything reads it', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    assert.match(errorsOf(warehouse({ deep }))[0]?.message ?? '', /must not nest/);
  });

  it('changes neither its input nor the old object', () => {
    const freeze = (value: unknown): void => {
      if (typeof value === 'object' && value !== null) {
        Object.values(value).forEach(freeze);
        Object.freeze(value);
      }
    };
    const [input, old] = [warehouse({ town: 'Turku', colour: 1 }), warehouse({ city: 'Turku' })];
    freeze(input);
    freeze(old);
    assert.equal(admit(Warehouse, input, { old }).object.spec.city, 'Turku');
  });
});
