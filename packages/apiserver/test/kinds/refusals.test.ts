import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { recorded, setUpBuiltinApi } from './builtin-api.ts';

type Cause = readonly [field: string, reason: string, message: string];

interface Case {
  readonly name: string;
  readonly input: JsonObject;
  /** The object that the input is to replace. */
  readonly old?: JsonObject;
  /** Why kube-apiserver 1.36 refused it; nothing if it did not. */
  readonly causes: readonly Cause[];
}

const LONGEST = 80;

/** Long texts are recorded by their beginning, and long values not at all; uids differ. */
const shortened = (message: string): string =>
  message
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
    .replace(/: \{.{100,}\}: /, ': {…}: ')
    .slice(0, LONGEST);

const causesOf = async (attempt: Promise<unknown>): Promise<readonly Cause[]> => {
  try {
    await attempt;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const causes = error.status.details?.causes ?? [];
    return causes.map(({ field = '', reason = '', message = '' }) => [
      field,
      reason.replace('FieldValue', ''),
      shortened(message),
    ]);
  }
};

/** The order in which a server finds the reasons says nothing, and some it finds twice. */
const asSet = (causes: readonly Cause[]): readonly string[] =>
  [...new Set(causes.map((cause) => cause.join(' | ')))].toSorted();

for (const { name, old, input, causes } of recorded<Case>('refusals.jsonl')) {
  test(`${causes.length === 0 ? 'takes' : 'refuses'} a ${name}`, async () => {
    const { create, update } = await setUpBuiltinApi();
    if (old !== undefined) await create(old);
    const found = await causesOf(old === undefined ? create(input, true) : update(input));
    assert.deepEqual(asSet(found), asSet(causes));
  });
}
