import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { Answer } from './peer.ts';

/** One place where two answers differ. */
export interface Difference {
  readonly path: string;
  readonly left: JsonValue | undefined;
  readonly right: JsonValue | undefined;
}

const childPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** Every place where two values differ, as deep as it goes. */
export const differencesOf = (
  path: string,
  left: JsonValue | undefined,
  right: JsonValue | undefined,
): readonly Difference[] => {
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].flatMap((key) => differencesOf(childPath(path, key), left[key], right[key]));
  }
  const isWhole = path === 'body.details.causes';
  if (!isWhole && Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    const rights: readonly JsonValue[] = right;
    return left.flatMap((item, index) => differencesOf(`${path}[${index}]`, item, rights[index]));
  }
  const isSame = left === undefined || right === undefined ? left === right : sameJson(left, right);
  return isSame ? [] : [{ path, left, right }];
};

/**
 * Parts of messages that only Go can produce: its structs in the text of an error, their differences, and
 * paths of its storage.
 */
const ONLY_GO = [
  [
    /^((?:Invalid|Duplicate|Unsupported) value): (?:\{.*\}|\[.*\]|null|"(?:map\[.*\]|\{.*\})"): /s,
    '$1: …: ',
  ],
  [/is missing in '\{.*\}'/s, 'is missing'],
  [/\n@@ -.*$/s, ''],
  [/StorageError: .*, AdditionalErrorMsg: /, ''],
] as const;

const withoutGo = (text: string): string =>
  ONLY_GO.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** Kubernetes finds some mistakes several times, and says so each time. */
const reportedOnce = (causes: readonly JsonValue[]): JsonValue => {
  const texts = causes
    .filter(isJsonObject)
    .map((cause) => JSON.stringify({ ...cause, message: withoutGo(textOf(cause.message)) }));
  return [...new Set(texts)].sort();
};

/** The message repeats the causes, if there are any. */
const ownMessage = (message: JsonValue | undefined, hasCauses: boolean): string => {
  const text = textOf(message);
  const own = hasCauses ? (text.split(' is invalid: ')[0] ?? '') : text;
  return withoutGo(own)
    .split(/[[\], \n]+/)
    .sort()
    .join(' ');
};

/** Go puts what it finds in maps in any order: several refusals in one answer may come so too. */
const withoutOrder = (body: JsonValue): JsonValue => {
  if (!isJsonObject(body) || body.kind !== 'Status' || body.status !== 'Failure') return body;
  const details = isJsonObject(body.details) ? body.details : {};
  const causes: readonly JsonValue[] = Array.isArray(details.causes) ? details.causes : [];
  return {
    ...body,
    details: { ...details, causes: reportedOnce(causes) },
    message: ownMessage(body.message, causes.length > 0),
  };
};

/** Code and reason of a refusal; the rest is for people. */
const withoutTexts = (body: JsonValue): JsonValue =>
  isJsonObject(body) && body.kind === 'Status' && body.status === 'Failure'
    ? { reason: body.reason ?? '', code: body.code ?? 0 }
    : body;

/**
 * Differences between two answers to the same operation, once both are normalised. Without texts, refusals
 * with the same code and reason are the same, and warnings do not count.
 */
export const compareAnswers = (
  one: Answer,
  other: Answer,
  comparesTexts: boolean,
): readonly Difference[] => {
  const compared = (answer: Answer): Answer =>
    comparesTexts ? answer : { ...answer, body: withoutTexts(answer.body), warnings: [] };
  const [left, right] = [compared(one), compared(other)];
  if (left.status !== right.status) {
    const messageOf = ({ status, body }: Answer): JsonValue =>
      isJsonObject(body) && 'message' in body
        ? { status, message: body.message ?? '' }
        : { status, ...(typeof body === 'string' ? { message: body } : {}) };
    return [{ path: 'status', left: messageOf(one), right: messageOf(other) }];
  }
  const bodies = differencesOf('body', left.body, right.body);
  const differs = bodies.length > 0;
  const isOnlyOrder =
    differs && differencesOf('', withoutOrder(left.body), withoutOrder(right.body)).length === 0;
  return [
    ...(isOnlyOrder ? [] : bodies),
    ...differencesOf(
      left.status === 404 ? 'warnings of nothing' : 'warnings',
      left.warnings,
      right.warnings,
    ),
  ];
};
