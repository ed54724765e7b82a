import { formatCheck } from '../../formats/formats.ts';
import { parseRequestUri } from '../../formats/uri.ts';
import {
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../values/names.ts';
import { patternCost } from '../budget.ts';
import { func, method, type Overload } from '../signature.ts';
import { ListValue, NONE, OpaqueValue, OptionalValue } from '../values.ts';

type ProblemsOf = (text: string) => readonly string[];

interface Format {
  readonly name: string;
  readonly problemsOf: ProblemsOf;
}

type FormatValue = OpaqueValue<Format>;

const formatValue = (name: string, problemsOf: ProblemsOf): FormatValue =>
  new OpaqueValue('Format', { name, problemsOf }, (format) => format.name);

/** A prefix, to which something will be appended, may end in a dash. */
const asPrefix =
  (check: ProblemsOf): ProblemsOf =>
  (text) =>
    check(text.endsWith('-') && text.length > 1 ? `${text.slice(0, -1)}a` : text);

const schemaFormat = (format: string, problem: string): ProblemsOf => {
  const isWellFormed = formatCheck(format);
  return (text) => (isWellFormed?.(text) ? [] : [problem]);
};

const uriProblems: ProblemsOf = (text) => {
  const uri = parseRequestUri(text);
  return 'error' in uri ? [uri.error] : [];
};

const FORMATS = new Map<string, FormatValue>(
  Object.entries<ProblemsOf>({
    dns1123Label: checkDnsLabel,
    dns1123Subdomain: checkDnsSubdomain,
    dns1035Label: checkDns1035Label,
    qualifiedName: checkQualifiedName,
    dns1123LabelPrefix: asPrefix(checkDnsLabel),
    dns1123SubdomainPrefix: asPrefix(checkDnsSubdomain),
    dns1035LabelPrefix: asPrefix(checkDns1035Label),
    labelValue: checkLabelValue,
    uri: uriProblems,
    uuid: schemaFormat('uuid', 'does not match the UUID format'),
    byte: schemaFormat('byte', 'invalid base64'),
    date: schemaFormat('date', 'invalid date'),
    datetime: schemaFormat('datetime', 'invalid datetime'),
  }).map(([name, problemsOf]) => [name, formatValue(name, problemsOf)]),
);

const formatByName = (name: string): OptionalValue => {
  const format = FORMATS.get(name);
  return format === undefined ? NONE : new OptionalValue(format);
};

const validate = ({ value: format }: FormatValue, text: string): OptionalValue => {
  const problems = format.problemsOf(text);
  return problems.length === 0 ? NONE : new OptionalValue(new ListValue(problems));
};

/** About the length of the longest pattern behind a format. */
const LONGEST_PATTERN = 128;

export const NAMED_FORMATS: readonly Overload[] = [
  ...[...FORMATS].map(([name, format]) => func(`format.${name}(): Format`, () => format)),
  func('format.named(string): optional<Format>', formatByName),
  method(
    'Format',
    'validate(string): optional<list<string>>',
    validate,
    (_format: FormatValue, text: string) => patternCost(text.length, LONGEST_PATTERN),
  ),
];
