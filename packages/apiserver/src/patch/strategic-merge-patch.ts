import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { PatchError } from '../errors.ts';
import { mergeLists } from './merge-lists.ts';
import { orderLists } from './order-lists.ts';
import { type MutableObject, ownField, setField } from './own-field.ts';
import {
  DELETE_LIST,
  DIRECTIVE,
  directiveTarget,
  ELEMENT_ORDER,
  RETAIN_KEYS,
  withoutDirectives,
  withoutNulls,
} from './patch-directives.ts';
import { type PatchRule, patchRule } from './patch-schema.ts';

const kindOf = (value: JsonValue | undefined): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
};

const ruleOf = (schema: StructuralSchema, field: string): PatchRule => {
  const rule = patchRule(schema, field);
  if (rule === undefined) {
    throw new PatchError(400, `unable to find the field ${JSON.stringify(field)} in the schema`);
  }
  return rule;
};

/** Takes a value that has nothing to merge with; undefined when all of it is a directive. */
const take = (value: JsonValue): JsonValue | undefined => withoutDirectives(withoutNulls(value));

const assign = (target: MutableObject, key: string, value: JsonValue | undefined): void => {
  if (value === undefined) delete target[key];
  else setField(target, key, value);
};

/** Drops every field that `$retainKeys` does not list. */
const retainKeys = (target: MutableObject, patch: MutableObject): void => {
  const list = ownField(patch, RETAIN_KEYS);
  if (list === undefined) return;
  delete patch[RETAIN_KEYS];
  const malformed = new PatchError(400, 'invalid patch format of retainKeys');
  if (!Array.isArray(list)) throw malformed;
  const retained = new Set<JsonValue>(list);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(DELETE_LIST) || key.startsWith(ELEMENT_ORDER)) {
      continue;
    }
    if (!retained.has(key)) throw malformed;
  }
  for (const key of Object.keys(target)) if (!retained.has(key)) delete target[key];
};

/** Merges the lists for which the patch gives an order, and takes them out of the patch. */
const mergeOrderedLists = (
  target: MutableObject,
  patch: MutableObject,
  schema: StructuralSchema,
): void => {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(ELEMENT_ORDER)) continue;
    const order = patch[key];
    delete patch[key];
    if (!Array.isArray(order)) {
      throw new PatchError(400, 'invalid patch format of setElementOrder list');
    }
    const field = directiveTarget(key, ELEMENT_ORDER);
    const rule = ruleOf(schema, field);
    const mergedList = orderLists(ownField(target, field), ownField(patch, field), order, rule);
    if (mergedList !== undefined) setField(target, field, mergedList);
    delete patch[field];
  }
};

const mergeField = (
  present: JsonValue,
  change: JsonValue,
  rule: PatchRule,
  deletes: boolean,
): JsonValue | undefined => {
  if (isJsonObject(present) && isJsonObject(change)) {
    return rule.strategy === 'replace' ? change : mergeObjects(present, change, rule.schema);
  }
  if (Array.isArray(present) && Array.isArray(change)) {
    return rule.strategy === 'merge' || deletes
      ? mergeLists(present, change, rule, deletes)
      : change;
  }
  return take(change);
};

/** Merges an object into another one by the rules of a schema. */
export const mergeObjects = (
  document: JsonObject,
  patch: JsonObject,
  schema: StructuralSchema,
): JsonObject => {
  const directive = ownField(patch, DIRECTIVE);
  if (directive === 'delete') return {};
  const changes: MutableObject = { ...patch };
  if (directive === 'replace') {
    delete changes[DIRECTIVE];
    return changes;
  }
  if (directive !== undefined) {
    throw new PatchError(
      400,
      `unknown patch type: ${JSON.stringify(directive)} in map: ${JSON.stringify(patch)}`,
    );
  }
  const target: MutableObject = { ...document };
  retainKeys(target, changes);
  mergeOrderedLists(target, changes, schema);
  for (const key of Object.keys(changes)) {
    const change = changes[key];
    if (change === undefined) continue;
    const deletes = key.startsWith(DELETE_LIST);
    const field = deletes ? directiveTarget(key, DELETE_LIST) : key;
    const present = ownField(target, field);
    if (change === null) delete target[field];
    else if (present === undefined || kindOf(present) !== kindOf(change)) {
      if (!deletes) assign(target, field, take(change));
    } else if (typeof change !== 'object') {
      if (change !== present) setField(target, field, change);
    } else {
      assign(target, field, mergeField(present, change, ruleOf(schema, field), deletes));
    }
  }
  return sameFields(document, target) ? document : target;
};

/** True if two objects hold the very same values: then the first may replace the second. */
const sameFields = (a: JsonObject, b: JsonObject): boolean => {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
};

/**
 * Applies a strategic merge patch by the merge keys and strategies of a schema. Throws a
 * `PatchError`; neither document nor patch is changed.
 */
export const applyStrategicMergePatch = (
  document: JsonObject,
  patch: JsonValue,
  schema: StructuralSchema,
): JsonObject => {
  if (isJsonObject(patch)) return mergeObjects(document, patch, schema);
  throw new PatchError(400, 'a strategic merge patch must be an object');
};
