import { utf8Length } from '../bytes.ts';

/** Checks of names return what is wrong, in the words of Kubernetes; nothing when all is well. */
type Problems = readonly string[];

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS_SUBDOMAIN}`;
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const dnsLabel = whole(DNS_LABEL);
const wildcardSubdomain = whole(WILDCARD_SUBDOMAIN);
const dnsSubdomain = whole(DNS_SUBDOMAIN);
const dns1035Label = whole(DNS_1035_LABEL);
const qualifiedName = whole(QUALIFIED_NAME);
const labelValue = whole(LABEL_VALUE);

const NO_PROBLEMS: Problems = Object.freeze([]);

/** Nearly all keys: those that it matches have no problems, unless the whole is long. */
const usualQualifiedName = whole(
  `(${DNS_SUBDOMAIN}/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]`,
);
const USUAL_LENGTH = 253;

const mustMatch = (rule: string, pattern: string, ...examples: readonly string[]): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;

/** Kubernetes counts bytes. Three bytes is the most that one UTF-16 unit takes. */
const isLonger = (value: string, bytes: number): boolean =>
  value.length > bytes || (value.length * 3 > bytes && utf8Length(value) > bytes);

/** Kubernetes speaks of characters in names and of bytes in labels; it counts bytes in both. */
const tooLong = (most: number, what: 'characters' | 'bytes' = 'bytes'): string =>
  `must be no more than ${most} ${what}`;

/** A DNS label of RFC 1123, as for a namespace: up to 63 of `a-z`, `0-9` and `-`. */
export const checkDnsLabel = (value: string): Problems => {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push(tooLong(63, 'characters'));
  if (dnsLabel.test(value)) return problems;
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  problems.push(
    dnsSubdomain.test(value)
      ? 'must not contain dots'
      : mustMatch(rule, DNS_LABEL, 'my-name', '123-abc'),
  );
  return problems;
};

/** A DNS name of RFC 1123, as for most objects: labels joined by dots, up to 253 bytes. */
export const checkDnsSubdomain = (value: string): Problems =>
  subdomainProblems(value, 'characters');

const subdomainProblems = (value: string, counted: 'characters' | 'bytes'): Problems => {
  const problems: string[] = [];
  if (isLonger(value, 253)) problems.push(tooLong(253, counted));
  if (dnsSubdomain.test(value)) return problems;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  problems.push(mustMatch(rule, DNS_SUBDOMAIN, 'example.com'));
  return problems;
};

/** A DNS name whose first label is `*`, which stands for any. */
export const checkWildcardSubdomain = (value: string): Problems => {
  const problems: string[] = [];
  if (isLonger(value, 253)) problems.push(tooLong(253, 'characters'));
  if (wildcardSubdomain.test(value)) return problems;
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  problems.push(mustMatch(rule, WILDCARD_SUBDOMAIN, '*.example.com'));
  return problems;
};

/** A name that can be a part of a path, and nothing more is asked of it. */
export const checkPathSegment = (value: string): Problems => {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%']
    .filter((part) => value.includes(part))
    .map((part) => `may not contain '${part}'`);
};

/** A DNS label of RFC 1035, as for a Service: like `checkDnsLabel`, but begins with a letter. */
export const checkDns1035Label = (value: string): Problems => {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push(tooLong(63, 'characters'));
  if (dns1035Label.test(value)) return problems;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  problems.push(mustMatch(rule, DNS_1035_LABEL, 'my-name', 'abc-123'));
  return problems;
};

const QUALIFIED_NAME_RULE = mustMatch(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED_NAME,
  'MyName',
  'my.name',
  '123-abc',
);

/** The key of a label, annotation, taint or finalizer: a name with an optional DNS prefix and `/`. */
export const checkQualifiedName = (value: string): Problems => {
  if (value.length <= USUAL_LENGTH && usualQualifiedName.test(value)) return NO_PROBLEMS;
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    problems.push(...subdomainProblems(prefix, 'bytes').map((problem) => `prefix part ${problem}`));
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (isLonger(name, 63)) problems.push(`name part ${tooLong(63)}`);
  if (!qualifiedName.test(name)) problems.push(`name part ${QUALIFIED_NAME_RULE}`);
  return problems;
};

/** The value of a label; may be empty. */
export const checkLabelValue = (value: string): Problems => {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push(tooLong(63));
  if (labelValue.test(value)) return problems;
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  problems.push(mustMatch(rule, LABEL_VALUE, 'MyValue', 'my_value', '12345'));
  return problems;
};
