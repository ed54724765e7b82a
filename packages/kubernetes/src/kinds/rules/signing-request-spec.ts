import { duplicate, type FieldError, invalid, required, tooLong } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { checkDnsLabel, checkDnsSubdomain } from '@perigee/schema/values/names';
import { isSignedRequest, pemBlocks } from './pem.ts';

type Errors = readonly FieldError[];

const checkRequest = (spec: JsonObject): Errors => {
  const { request } = spec;
  if (request === undefined) return [];
  const wrong = (why: string) => [invalid('spec.request', request, why)];
  const [block] = pemBlocks(Buffer.from(textAt(spec, 'request'), 'base64').toString('latin1'));
  if (block?.type !== 'CERTIFICATE REQUEST') {
    return wrong('PEM block type must be CERTIFICATE REQUEST');
  }
  return isSignedRequest(block.der) ? [] : wrong('must hold a signed request of PKCS #10');
};

const checkUsages = (usages: readonly string[]): Errors => {
  if (usages.length === 0) return [required('spec.usages')];
  const firstAt = new Map(usages.map((usage, index) => [usage, index] as const).toReversed());
  return usages.flatMap((usage, index) =>
    firstAt.get(usage) !== index ? [duplicate(`spec.usages[${index}]`, usage)] : [],
  );
};

const SIGNER = 'spec.signerName';
const LONGEST_DOMAIN = 253;
const LONGEST_SIGNER = 571;

/** Reports only the first invalid label: the messages of others would be the same. */
const checkLabels = (part: string, check: (label: string) => readonly string[]): Errors => {
  for (const label of part.split('.')) {
    const problems = check(label);
    if (problems.length === 0) continue;
    return problems.map((problem) =>
      invalid(SIGNER, part, `validating label ${JSON.stringify(label)}: ${problem}`),
    );
  }
  return [];
};

const checkSigner = (name: string): Errors => {
  if (name === '') return [required(SIGNER)];
  if (name === 'kubernetes.io/legacy-unknown') {
    return [invalid(SIGNER, name, 'the legacy signerName is not allowed via this API version')];
  }
  const [domain = '', path = '', ...more] = name.split('/');
  if (more.length > 0 || !name.includes('/')) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(SIGNER, name, why)];
  }
  return [
    ...(domain.length > LONGEST_DOMAIN ? [tooLong(SIGNER, LONGEST_DOMAIN)] : []),
    ...checkLabels(domain, checkDnsLabel),
    ...(domain.includes('.')
      ? []
      : [
          invalid(
            SIGNER,
            domain,
            'should be a domain with at least two segments separated by dots',
          ),
        ]),
    ...checkLabels(path, checkDnsSubdomain),
    ...(name.length > LONGEST_SIGNER ? [tooLong(SIGNER, LONGEST_SIGNER)] : []),
  ];
};

const SHORTEST_SECONDS = 600;

/** Rules of the spec of a signing request: its certificate request, its signer and its usages. */
export const checkSigningRequest = (spec: JsonObject): Errors => {
  const seconds = numberAt(spec, 'expirationSeconds');
  const why = `may not specify a duration less than ${SHORTEST_SECONDS} seconds (10 minutes)`;
  return [
    ...checkRequest(spec),
    ...checkUsages(textsAt(spec, 'usages')),
    ...checkSigner(textAt(spec, 'signerName')),
    ...(seconds !== undefined && seconds < SHORTEST_SECONDS
      ? [invalid('spec.expirationSeconds', seconds, why)]
      : []),
  ];
};
