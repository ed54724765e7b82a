import { writeFileSync } from 'node:fs';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import {
  changedCrd,
  ERRORS_FILE,
  recordedErrors,
} from '../packages/apiserver/test/crd/recorded-errors.ts';
import { openPeer } from './open-peer.ts';
import { Definition } from './peer-definitions.ts';

/** A problem that the name of any object may have; the validation of definitions does not look at it. */
const NAME_OF_ANY_OBJECT = /^FieldValueInvalid metadata\.name: .*RFC 1123 subdomain/;

/**
 * Records what kube-apiserver says of definitions that are wrong, for the changes in `crd-errors.jsonl`. A new
 * case is a line with its name and its change.
 */
await using peer = await openPeer();

const errorsOf = async (crd: JsonObject): Promise<readonly string[]> => {
  try {
    await peer.create(Definition, crd as never, { dryRun: true });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const causes = error.status.details?.causes ?? [];
    return causes
      .map(({ reason, field, message }) => `${reason} ${field}: ${message}`)
      .filter((text) => !NAME_OF_ANY_OBJECT.test(text));
  }
};

const lines: string[] = [];
for (const before of recordedErrors()) {
  const errors = await errorsOf(changedCrd(before));
  // kube-apiserver tells some errors in another order each time.
  const isSame = sameJson(errors.toSorted(), before.errors.toSorted());
  lines.push(JSON.stringify({ ...before, errors: isSame ? before.errors : errors }));
}
writeFileSync(ERRORS_FILE, `${lines.join('\n')}\n`);
