import {
  duplicate,
  type FieldError,
  forbidden,
  InvalidObjectError,
  invalid,
  required,
  tooMany,
} from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/**
 * Selects the owner of a pod to which its PodGroup belongs: the one of this kind, or one that is as many
 * levels below it, by `adjustLevel`. 0 is that owner itself, -1 the one just below.
 */
export interface PodGroupLevelRule {
  readonly apiVersion: string;
  /** In lower case, because the kinds of rules are compared without regard to case. */
  readonly kind: string;
  readonly adjustLevel: number;
}

interface OwnerKind {
  readonly apiVersion: string;
  readonly kind: string;
}

const LISTS = ['podgroup-level-rules', 'podgroupLevel'];
const MOST_RULES = 256;

const FIELDS = new Map([
  ['apiversion', 'apiVersion'],
  ['apiVersion', 'apiVersion'],
  ['kind', 'kind'],
  ['adjust-level', 'adjustLevel'],
  ['adjustLevel', 'adjustLevel'],
]);

const API_VERSION = /^([a-z0-9.-]+\/)?v[a-z0-9]+$/;
const KIND = /^[A-Za-z][A-Za-z0-9]*$/;

/** Adds to the errors what is wrong; the result is a rule only when nothing was. */
const readRule = (item: JsonObject, at: string, errors: FieldError[]): PodGroupLevelRule => {
  const spelling = new Map<string, string>();
  for (const key of Object.keys(item)) {
    const field = FIELDS.get(key);
    const before = spelling.get(field ?? '');
    if (field === undefined) {
      errors.push(forbidden(`${at}.${key}`, 'a rule has apiversion, kind and adjust-level only'));
    } else if (before !== undefined) {
      errors.push(forbidden(`${at}.${key}`, `is another spelling of ${before}; keep one`));
    } else spelling.set(field, key);
  }
  const read = (field: string, fallback: string) => {
    const key = spelling.get(field) ?? fallback;
    return { path: `${at}.${key}`, value: item[key] };
  };
  const readText = (field: string, fallback: string, form: RegExp, example: string): string => {
    const { path, value } = read(field, fallback);
    if (value === undefined || value === null || value === '') errors.push(required(path));
    else if (typeof value === 'string' && form.test(value)) return value;
    else errors.push(invalid(path, value, `must be such as ${example}`));
    return '';
  };
  const apiVersion = readText('apiVersion', 'apiversion', API_VERSION, 'apps/v1');
  const kind = readText('kind', 'kind', KIND, 'Deployment').toLowerCase();
  const { path, value: level = 0 } = read('adjustLevel', 'adjust-level');
  if (typeof level === 'number' && Number.isInteger(level) && level <= 0) {
    return { apiVersion, kind, adjustLevel: level };
  }
  const meaning = '0 for the owner of this kind, or -1, -2 … for one so many levels below it';
  errors.push(invalid(path, level, `must be ${meaning}`));
  return { apiVersion, kind, adjustLevel: 0 };
};

/** The list of rules under whichever of its names. */
const readList = (conf: JsonObject): readonly [string, JsonValue | undefined] => {
  const [name = '', other] = LISTS.filter((list) => conf[list] !== undefined);
  if (other === undefined) return [name, conf[name]];
  throw new InvalidObjectError([forbidden(other, `is another spelling of ${name}; keep one`)]);
};

/** The rule for owners of this kind, if there is one. */
export const podGroupLevelRuleFor = (
  rules: readonly PodGroupLevelRule[],
  { apiVersion, kind }: OwnerKind,
): PodGroupLevelRule | undefined =>
  rules.find((rule) => rule.apiVersion === apiVersion && rule.kind === kind.toLowerCase());

/**
 * Reads the rules from the parsed text of `volcano-controller.conf`, which may be empty and may hold
 * other things too: nothing when it has no list of rules. Throws `InvalidObjectError` that names every
 * wrong field.
 */
export const parsePodGroupLevelRules = (
  conf: JsonValue | undefined,
): readonly PodGroupLevelRule[] | undefined => {
  if (conf === undefined || conf === null) return undefined;
  if (!isJsonObject(conf)) {
    throw new InvalidObjectError([invalid('volcano-controller.conf', conf, 'must be a mapping')]);
  }
  const [name, items] = readList(conf);
  if (items === undefined || items === null) return undefined;
  if (!Array.isArray(items)) {
    throw new InvalidObjectError([invalid(name, items, 'must be a list of rules')]);
  }
  if (items.length > MOST_RULES) {
    throw new InvalidObjectError([tooMany(name, items.length, MOST_RULES)]);
  }
  const rules: PodGroupLevelRule[] = [];
  const errors: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    const at = `${name}[${index}]`;
    if (!isJsonObject(item)) {
      errors.push(invalid(at, item, 'must be a mapping with apiversion, kind and adjust-level'));
      continue;
    }
    const rule = readRule(item, at, errors);
    if (podGroupLevelRuleFor(rules, rule)) {
      errors.push(duplicate(at, `${rule.apiVersion} ${rule.kind}`));
    }
    rules.push(rule);
  }
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return rules;
};
