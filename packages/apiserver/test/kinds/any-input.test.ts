import { test } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import fc from 'fast-check';
import { recorded, setUpBuiltinApi } from './builtin-api.ts';

const inputs = recorded<{ readonly input: JsonObject }>('defaults.jsonl').map(({ input }) => input);

const STRANGE: readonly JsonValue[] = [
  null,
  '',
  'x',
  -1,
  1.5,
  true,
  [],
  {},
  [null],
  ['x'],
  { x: 1 },
];

/** The value with another one at a place within it that the steps choose. */
const spoiled = (value: JsonValue, steps: readonly number[], by: JsonValue): JsonValue => {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return by;
  const names = Object.keys(value);
  const name = names[step % Math.max(names.length, 1)];
  if (name === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === name ? spoiled(item, rest, by) : item));
  }
  const object = value as JsonObject;
  return { ...object, [name]: spoiled(object[name] ?? null, rest, by) };
};

test('whatever a field holds, an object is taken or refused with a status', async () => {
  const { create } = await setUpBuiltinApi();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...inputs),
      fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...STRANGE),
      async ({ apiVersion, kind, ...parts }, steps, by) => {
        const body = spoiled(parts, steps, by);
        const fields = typeof body === 'object' && !Array.isArray(body) ? body : {};
        try {
          await create({ ...(fields as JsonObject), apiVersion, kind }, true);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
