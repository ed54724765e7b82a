import { IDENTITY } from '@perigee/api/values/identity-paths';
import { isSystemMark } from '@perigee/api/values/system-marks';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { OverrideError } from '../../errors.ts';
import { objectIn } from '../../interpreter/fields.ts';
import type { WordsField } from '../work/words.ts';
import type { Draft } from './draft.ts';
import { addWords } from './draft-words.ts';

const fieldOf = (object: JsonObject, path: readonly string[]): JsonValue | undefined =>
  objectIn(object, ...path.slice(0, -1))[path.at(-1) ?? ''];

const valueText = (value: JsonValue | undefined): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 300);

/** The first identity field that an override changed, as a message; undefined if none. */
export const changedIdentity = (before: JsonObject, after: JsonObject): string | undefined => {
  const changedPath = IDENTITY.find(
    (path) => !sameJson(fieldOf(before, path) ?? null, fieldOf(after, path) ?? null),
  );
  if (changedPath === undefined) return undefined;
  const [from, to] = [before, after].map((object) => valueText(fieldOf(object, changedPath)));
  return `${changedPath.join('.')} would change from ${from} to ${to}`;
};

/** Restores marks that an override removed; rejects added or changed ones. */
const keepMarks = (before: JsonObject, draft: Draft, field: WordsField): void => {
  const wordsBefore = objectIn(before, 'metadata', field);
  const wordsAfter = objectIn(draft.value as JsonObject, 'metadata', field);
  const entriesBefore = Object.entries(wordsBefore);
  const entriesAfter = Object.entries(wordsAfter);
  draft.count(entriesBefore.length + entriesAfter.length);
  const forgery = entriesAfter.find(
    ([key, value]) => isSystemMark(key) && wordsBefore[key] !== value,
  );
  if (forgery !== undefined) {
    throw new OverrideError(
      `it gives ${forgery[0]}, which is a mark of the system among the ${field}`,
    );
  }
  const lostMarks = entriesBefore.filter(
    ([key]) => isSystemMark(key) && !Object.hasOwn(wordsAfter, key),
  );
  addWords(draft, field, lostMarks);
};

/**
 * Checks that an override kept the object's identity: controllers write it to members with rights
 * that the override's author may lack.
 */
export const keepIdentity = (before: JsonObject, draft: Draft): void => {
  const after = draft.value;
  if (!isJsonObject(after)) throw new OverrideError('it leaves no object');
  const change = changedIdentity(before, after);
  if (change !== undefined) {
    throw new OverrideError(
      `${change}; an override changes what an object contains, not which object it is`,
    );
  }
  keepMarks(before, draft, 'labels');
  keepMarks(before, draft, 'annotations');
};

const RBAC = ['rules', 'roleRef', 'subjects', 'aggregationRule'];
const LIMITS: ReadonlySet<string> = new Set(['v1 ResourceQuota', 'v1 LimitRange']);

/** The fields by which an administrator grants or limits what a namespace may do. */
const grantsOf = ({ apiVersion, kind }: JsonObject): readonly string[] => {
  if (String(apiVersion).startsWith('rbac.authorization.k8s.io/')) return RBAC;
  return LIMITS.has(`${apiVersion} ${kind}`) ? ['spec'] : [];
};

/**
 * Checks that a namespaced override changed no RBAC rights, nor who has them, nor the limits of its
 * namespace. The API server asks the author of such an object; nothing asks the author of an override.
 */
export const keepRights = (before: JsonObject, { value }: Draft): void => {
  const after = value as JsonObject;
  const changedField = grantsOf(before).find(
    (field) => !sameJson(before[field] ?? null, after[field] ?? null),
  );
  if (changedField === undefined) return;
  const what = changedField === 'spec' ? 'what a namespace may use' : 'who has which rights';
  throw new OverrideError(
    `it changes the ${changedField} of a ${before.kind}; only a ClusterOverridePolicy may change ${what}`,
  );
};
