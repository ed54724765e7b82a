import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileValidator } from '@perigee/schema/validate/validate';
import { objectWith, recorded } from './recorded.ts';

const { cases } = recorded<{
  readonly cases: readonly { readonly text: string; readonly fits: readonly string[] }[];
}>('formats');

const FORMATS = [
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'password',
  'date',
  'duration',
  'date-time',
  'datetime',
  'k8s-short-name',
  'k8s-long-name',
];

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: Object.fromEntries(
        FORMATS.map((format) => [format, { type: 'string', format }] as const),
      ),
    },
  },
};
const validate = compileValidator(schema);

describe('a string fits the formats that a kube-apiserver says it fits', () => {
  for (const { text, fits } of cases) {
    it(JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text), () => {
      const spec = Object.fromEntries(FORMATS.map((format) => [format, text]));
      const misfits = new Set(validate(objectWith(spec)).map(({ field }) => field));
      assert.deepEqual(
        FORMATS.filter((format) => !misfits.has(`spec.${format}`)),
        fits,
      );
    });
  }
});
