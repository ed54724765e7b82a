import type { JsonObject } from '@perigee/schema/json';
import { age, text, textColumn } from './column.ts';
import { countAt, listAt, textAt } from './fields.ts';
import { humanDuration } from './human-duration.ts';

/** State of a request in one word; a denial counts more than an approval. */
const conditionText = (request: JsonObject): string => {
  const types = listAt(request, 'status', 'conditions').map(({ type }) => type);
  const verdict = ['Denied', 'Approved'].find((type) => types.includes(type)) ?? 'Pending';
  return [
    verdict,
    ...(types.includes('Failed') ? ['Failed'] : []),
    ...(textAt(request, 'status', 'certificate') === '' ? [] : ['Issued']),
  ].join(',');
};

const durationText = (request: JsonObject): string => {
  const seconds = countAt(request, 'spec', 'expirationSeconds');
  return seconds === 0 ? '<none>' : humanDuration(seconds * 1_000);
};

export const certificateSigningRequestColumns = [
  age,
  textColumn('SignerName', 'Who is to sign.', ['spec', 'signerName'], '<none>'),
  textColumn('Requestor', 'Who asked.', ['spec', 'username']),
  text('RequestedDuration', 'How long the certificate is to be valid.', durationText),
  text('Condition', 'What became of the request.', conditionText),
];
