import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import { sameJson } from '@perigee/api/schema/validate/same-json';
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
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    const rights: readonly JsonValue[] = right;
    return left.flatMap((item, index) => differencesOf(`${path}[${index}]`, item, rights[index]));
  }
  const isSame = left === undefined || right === undefined ? left === right : sameJson(left, right);
  return isSame ? [] : [{ path, left, right }];
};

/** A body that a refusal quotes, in the order of its keys. */
const QUOTED_BODY = /"\{(?:[^"\\]|\\.)*\}"/g;

const sortedKeys = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortedKeys(value[name] ?? null)]));
};

const sortedQuotation = (quoted: string): string => {
  try {
    return JSON.stringify(sortedKeys(JSON.parse(JSON.parse(quoted) as string)));
  } catch {
    return quoted;
  }
};

const withSortedQuotations = (text: string): string => text.replace(QUOTED_BODY, sortedQuotation);

/** Kubernetes finds some mistakes several times, and says so each time. */
const sortedCauses = (details: JsonValue | undefined): JsonValue | undefined => {
  if (!isJsonObject(details) || !Array.isArray(details.causes)) return details;
  const texts = details.causes.map((cause: JsonValue) => {
    const { message } = cause as { readonly message?: string };
    const told = message === undefined ? {} : { message: withSortedQuotations(message) };
    return JSON.stringify({ ...(cause as JsonObject), ...told });
  });
  const once = [...new Set(texts)].sort();
  return { ...details, causes: once.map((text) => JSON.parse(text) as JsonValue) };
};

const sortedMessage = (message: JsonValue | undefined): JsonValue | undefined =>
  typeof message === 'string'
    ? [...new Set(withSortedQuotations(message).split(/[[\], ]+/))].sort().join(' ')
    : message;

/** Go puts what it finds in maps in any order: several refusals in one answer may come so too. */
const withoutOrder = (body: JsonValue): JsonValue =>
  isJsonObject(body) && body.kind === 'Status' && body.status === 'Failure'
    ? {
        ...body,
        details: sortedCauses(body.details) ?? null,
        message: sortedMessage(body.message) ?? null,
      }
    : body;

/** What two refusals say to programs; the rest is for people. */
const withoutTexts = (body: JsonValue): JsonValue =>
  isJsonObject(body) && body.kind === 'Status' && body.status === 'Failure'
    ? { reason: body.reason ?? '', code: body.code ?? 0 }
    : body;

/**
 * Where two answers to the same operation differ, once both are normalised. Without texts, refusals
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
    const told = ({ status, body }: Answer): JsonValue =>
      isJsonObject(body) && 'message' in body
        ? { status, message: body.message ?? '' }
        : { status, ...(typeof body === 'string' ? { message: body } : {}) };
    return [{ path: 'status', left: told(one), right: told(other) }];
  }
  const bodies = differencesOf('body', left.body, right.body);
  const differs = bodies.length > 0;
  const isOnlyOrder =
    differs && differencesOf('', withoutOrder(left.body), withoutOrder(right.body)).length === 0;
  return [
    ...(isOnlyOrder ? [] : bodies),
    ...differencesOf('warnings', left.warnings, right.warnings),
  ];
};
