import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileValidator } from '@perigee/schema/validate/validate';
import { objectWith, recorded } from './recorded.ts';

const { formats, cases } = recorded<{
  readonly formats: readonly string[];
  readonly cases: readonly { readonly text: string; readonly fits: readonly string[] }[];
}>('formats');

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: Object.fromEntries(
        formats.map((format) => [format, { type: 'string', format }] as const),
      ),
    },
  },
};
const validate = compileValidator(schema);

describe('a string fits the formats that a kube-apiserver says it fits', () => {
  for (const { text, fits } of cases) {
    it(JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text), () => {
      const spec = Object.fromEntries(formats.map((format) => [format, text]));
      const misfits = new Set(validate(objectWith(spec)).map(({ field }) => field));
      assert.deepEqual(
        formats.filter((format) => !misfits.has(`spec.${format}`)),
        fits,
      );
    });
  }
});
