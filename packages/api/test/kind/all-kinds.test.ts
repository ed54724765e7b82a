import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { admit } from '@perigee/api/kind/admit';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { InvalidObjectError } from '@perigee/schema/errors';
import type { JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { ruleProblems } from '@perigee/schema/validate/rule-problems';
import fc from 'fast-check';

/** All names of fields in a schema, at any depth. */
const namesIn = (schema: StructuralSchema, names = new Set<string>()): Set<string> => {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    names.add(name);
    namesIn(property, names);
  }
  if (schema.items) namesIn(schema.items, names);
  if (typeof schema.additionalProperties === 'object') namesIn(schema.additionalProperties, names);
  return names;
};

const scalar = fc.constantFrom<JsonValue>('a', '', '1Gi', '5%', 0, 1, -1, 1.5, true, null);

/** JSON of any shape, whose fields have names that the kind knows. */
const jsonFor = (schema: StructuralSchema): fc.Arbitrary<JsonValue> => {
  const name = fc.constantFrom(...namesIn(schema), 'unknown');
  return fc
    .letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      ),
    }))
    .value.map((value) => JSON.parse(JSON.stringify(value)));
};

for (const kind of allKinds) {
  describe(`${kind.kind} of ${kind.group}`, () => {
    it('has rules that can run', () => {
      assert.deepEqual(ruleProblems(kind.schema), []);
      assert.deepEqual(ruleProblems(kind.inputSchema), []);
    });

    it('is admitted or refused, whatever it looks like', () => {
      const json = jsonFor(kind.inputSchema);
      const field = fc.option(json, { nil: undefined });
      const anyObject = fc.record({ spec: field, status: field });
      const attempt = (input: object, old?: object): object | undefined => {
        try {
          const metadata = { name: 'x', namespace: 'shop' };
          return admit(kind, { metadata, ...input }, old ? { old } : {}).object;
        } catch (error) {
          assert.ok(error instanceof InvalidObjectError, String(error));
          return undefined;
        }
      };
      fc.assert(
        fc.property(anyObject, fc.option(anyObject, { nil: undefined }), (input, old) => {
          const stored = attempt(input, old);
          if (stored !== undefined) assert.deepEqual(attempt(stored, stored), stored);
        }),
        { numRuns: 60 },
      );
    });
  });
}
