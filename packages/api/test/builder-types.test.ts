import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { admit } from '@perigee/api/kind/admit';
import { defineKind } from '@perigee/api/kind/define-kind';
import type { StoredObjectOf, WrittenObjectOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import {
  anyObject,
  anything,
  boolean,
  int32,
  intOrString,
  list,
  listMap,
  map,
  object,
  oneOf,
  open,
  set,
  string,
} from '@perigee/schema/structural/builder';
import {
  check,
  immutable,
  optional,
  type StoredOf,
  type WrittenOf,
  withDefault,
} from '@perigee/schema/structural/schema';

/** True for exactly the same types; the type checker refuses a call with anything else. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_proof: Same<A, B>): void => {};

const part = object('A part.', {
  name: string('Its name.'),
  count: withDefault(1, int32('How many.')),
  note: optional(string('A note.')),
});

const Machine = defineKind({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Machine',
  plural: 'machines',
  scope: 'Namespaced',
  doc: 'A machine.',
  spec: object('What it is.', {
    size: oneOf('Its size.', ['Small', 'Large']),
    isOn: withDefault(true, boolean('Whether it runs.')),
    parts: listMap('Its parts.', ['name'], part),
    mode: withDefault('Auto', oneOf('How it runs.', ['Auto', 'Manual'])),
  }),
  status: object('How it does.', { runs: optional(int32('How often it ran.')) }),
});
type Machine = StoredObjectOf<typeof Machine>;
type MachineWritten = WrittenObjectOf<typeof Machine>;

describe('types of the builder', () => {
  it('tell the stored form from the written one', () => {
    type Stored = { readonly name: string; readonly count: number; readonly note?: string };
    type Written = { readonly name: string; readonly count?: number; readonly note?: string };
    same<StoredOf<typeof part>, Stored>(true);
    same<WrittenOf<typeof part>, Written>(true);
  });

  it('carry both forms through lists and maps', () => {
    const parts = list('Parts.', part);
    const byName = map('Parts by name.', part);
    same<StoredOf<typeof parts>, readonly StoredOf<typeof part>[]>(true);
    same<WrittenOf<typeof parts>, readonly WrittenOf<typeof part>[]>(true);
    same<StoredOf<typeof byName>, { readonly [key: string]: StoredOf<typeof part> }>(true);
    same<WrittenOf<typeof byName>, { readonly [key: string]: WrittenOf<typeof part> }>(true);
  });

  it('are exact for scalars and for content that is not named', () => {
    const size = oneOf('A size.', ['Small', 'Large']);
    const sizes = set('Sizes.', size);
    const either = intOrString('Either.');
    const some = anything('Anything.');
    const bag = anyObject('An object.');
    const more = open(part);
    same<StoredOf<typeof size>, 'Small' | 'Large'>(true);
    same<StoredOf<typeof sizes>, readonly ('Small' | 'Large')[]>(true);
    same<StoredOf<typeof either>, number | string>(true);
    same<StoredOf<typeof some>, JsonValue>(true);
    same<StoredOf<typeof bag>, JsonObject>(true);
    same<StoredOf<typeof more>, StoredOf<typeof part> & JsonObject>(true);
  });

  it('are not changed by rules', () => {
    const checked = immutable(check(part, { rule: 'self.count > 0' }));
    const guarded = check(optional(part), { rule: 'self.count > 0' });
    same<StoredOf<typeof checked>, StoredOf<typeof part>>(true);
    same<(typeof checked)['presence'], 'required'>(true);
    same<(typeof guarded)['presence'], 'optional'>(true);
  });

  it('let a user leave out what has a default, and nothing else', () => {
    const least = {
      metadata: { name: 'a' },
      spec: { size: 'Small', parts: [{ name: 'wheel' }] },
    } satisfies MachineWritten;
    const stored: Machine = admit(Machine, least).object;
    assert.deepEqual(stored.spec, {
      size: 'Small',
      parts: [{ name: 'wheel', count: 1 }],
      isOn: true,
      mode: 'Auto',
    });
    const mode: 'Auto' | 'Manual' = stored.spec.mode;
    const runs: number | undefined = stored.status?.runs;
    assert.deepEqual({ mode, runs }, { mode: 'Auto', runs: undefined });

    const wrong = {
      metadata: { name: 'a' },
      // @ts-expect-error there is no such size, and a machine must have parts
      spec: { size: 'Huge' },
    } satisfies MachineWritten;
    assert.throws(() => admit(Machine, wrong), /spec.size: Unsupported value: "Huge"/);
  });

  it('refuse a default that the field could not have', () => {
    // @ts-expect-error a number is no word of the list
    const schema = withDefault(1, oneOf('A size.', ['Small']));
    assert.equal(schema.openapi.default, 1);
  });

  it('refuse a key that the elements do not have', () => {
    // @ts-expect-error parts have no id
    const schema = listMap('Parts.', ['id'], part);
    assert.deepEqual(schema.openapi['x-kubernetes-list-map-keys'], ['id']);
  });
});
