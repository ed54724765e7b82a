import { checkRules } from '../cel/check-rules.ts';
import { compileRules } from '../cel/rule-tree.ts';
import { type FieldError, invalid } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { Visit } from '../structural/visit.ts';
import { NO_FIELD, newWalk } from '../structural/walk.ts';
import { compileEmbeddedResources } from './embedded-resources.ts';
import { compileListTypes } from './list-types.ts';
import { compileNode } from './node.ts';

/**
 * Lists all problems of an object, in the words and the order of Kubernetes. With the object that
 * it replaces, what was wrong before and has not changed is let pass, and rules about changes run.
 */
export type Validator = (value: JsonObject, old?: JsonObject) => readonly FieldError[];

/** Errors after which an object is not what its rules take for granted. */
const BLOCKING = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const NOT_ALL_CHECKED = invalid(
  NO_FIELD,
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

const hasErrors = (visit: Visit, value: JsonObject): boolean => {
  const walk = newWalk();
  visit(value, walk);
  return walk.errors.length > 0;
};

export interface ValidatorOptions {
  /** True if the types of lists are checked; true by default. */
  readonly checksLists?: boolean;
}

/** Compiles all checks of a schema: types and bounds, embedded objects, sets and maps, and CEL rules. */
export const compileValidator = (
  schema: StructuralSchema,
  { checksLists = true }: ValidatorOptions = {},
): Validator => {
  const checkValues = compileNode(schema);
  const checkResources = compileEmbeddedResources(schema);
  const checkLists = checksLists ? compileListTypes(schema) : undefined;
  const rules = compileRules(schema);
  return (value, old) => {
    const walk = newWalk();
    checkValues(value, old, walk);
    checkResources?.(value, walk);
    if (checkLists !== undefined) {
      const before = walk.errors.length;
      checkLists(value, walk);
      // Asked only when something is wrong: nearly always nothing is.
      if (walk.errors.length > before && old !== undefined && hasErrors(checkLists, old)) {
        walk.errors.length = before;
      }
    }
    if (rules === undefined) return walk.errors;
    if (walk.errors.some(({ reason }) => BLOCKING.has(reason))) {
      return [...walk.errors, NOT_ALL_CHECKED];
    }
    return [...walk.errors, ...checkRules(rules, value, old)];
  };
};
