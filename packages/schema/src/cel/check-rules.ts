import { type FieldError, invalid } from '../errors.ts';
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json.ts';
import { sameJson } from '../same-json.ts';
import { keyedItems } from '../structural/list-keys.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { NO_FIELD, type PathStep, renderPath } from '../structural/walk.ts';
import { Budget } from './budget.ts';
import { evaluateRule } from './evaluate-rule.ts';
import type { RuleTree } from './rule-tree.ts';

/** The state of one walk of rules over an object. */
interface RuleWalk {
  readonly path: PathStep[];
  readonly errors: FieldError[];
  readonly budget: Budget;
  isOver: boolean;
}

/** True if the nearest value that has an old one is still the same as that; computed on demand. */
type IsUnchanged = () => boolean;

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

const report = (walk: RuleWalk, { type }: StructuralSchema, detail: string): void => {
  walk.errors.push(invalid(renderPath(walk.path) || NO_FIELD, type ?? '', detail));
};

const checkNode = (
  { schema, type, rules }: RuleTree,
  value: JsonValue,
  old: JsonValue | undefined,
  isUnchanged: IsUnchanged,
  walk: RuleWalk,
): void => {
  for (const rule of rules) {
    if (walk.isOver) return;
    if ('problems' in rule) {
      for (const { detail } of rule.problems) report(walk, schema, `rule compile error: ${detail}`);
      continue;
    }
    if (type === undefined) continue;
    if (walk.budget.isSpent) {
      report(walk, schema, OUT_OF_BUDGET);
      walk.isOver = true;
      return;
    }
    const subject = { schema, type, value, old, path: walk.path };
    const { error, isDecided, isLast } = evaluateRule(rule, subject, walk.budget);
    const isRatcheted = error !== undefined && isDecided && !rule.isTransition && isUnchanged();
    if (error !== undefined && !isRatcheted) walk.errors.push(error);
    if (isLast) walk.isOver = true;
  }
};

const checkItems = (
  tree: RuleTree,
  items: RuleTree,
  list: JsonArray,
  old: JsonValue | undefined,
  isUnchanged: IsUnchanged,
  walk: RuleWalk,
): void => {
  const oldItem = Array.isArray(old) ? keyedItems(tree.schema)?.(old) : undefined;
  for (const [index, item] of list.entries()) {
    walk.path.push(index);
    checkTree(items, item, oldItem?.(item), isUnchanged, walk);
    walk.path.pop();
    if (walk.isOver) return;
  }
};

const checkFields = (
  { properties, additional }: RuleTree,
  object: JsonObject,
  old: JsonValue | undefined,
  isUnchanged: IsUnchanged,
  walk: RuleWalk,
): void => {
  const oldFields = isJsonObject(old) ? old : {};
  for (const name in object) {
    const value = object[name];
    const field = properties.get(name);
    const tree = field ?? additional;
    if (value === undefined || tree === undefined) continue;
    walk.path.push(field === undefined ? { key: name } : name);
    const oldValue = Object.hasOwn(oldFields, name) ? oldFields[name] : undefined;
    checkTree(tree, value, oldValue, isUnchanged, walk);
    walk.path.pop();
    if (walk.isOver) return;
  }
};

const checkTree = (
  tree: RuleTree,
  value: JsonValue,
  old: JsonValue | undefined,
  isParentUnchanged: IsUnchanged,
  walk: RuleWalk,
): void => {
  if (value === null) return;
  const formerValue = old === null ? undefined : old;
  const isUnchanged =
    formerValue === undefined ? isParentUnchanged : (): boolean => sameJson(value, formerValue);
  checkNode(tree, value, formerValue, isUnchanged, walk);
  if (walk.isOver) return;
  if (Array.isArray(value)) {
    if (tree.items) checkItems(tree, tree.items, value, formerValue, isUnchanged, walk);
  } else if (isJsonObject(value)) checkFields(tree, value, formerValue, isUnchanged, walk);
};

/**
 * Evaluates the rules on an object. A rule that speaks of the old value runs where there is one. An
 * error about something that has not changed is let pass: it was stored before the rule came.
 */
export const checkRules = (
  tree: RuleTree,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] => {
  const walk: RuleWalk = { path: [], errors: [], budget: new Budget(), isOver: false };
  checkTree(tree, object, old, () => false, walk);
  return walk.errors;
};
