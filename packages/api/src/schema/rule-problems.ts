import type { FieldError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { compileRules, type RuleTree } from './cel/rule-tree.ts';
import { goStruct } from './go-text.ts';
import type { StructuralSchema, ValidationRule } from './structural.ts';

/** The rule as Kubernetes shows it in the error about it. */
const shown = (rule: ValidationRule): JsonObject => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

const under = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);

const collect = (tree: RuleTree, path: string, errors: FieldError[]): void => {
  for (const [index, rule] of tree.rules.entries()) {
    if (!('problems' in rule)) continue;
    const at = under(path, `x-kubernetes-validations[${index}]`);
    for (const { part, detail } of rule.problems) {
      const message = `Invalid value: ${goStruct(shown(rule.rule))}: ${detail}`;
      errors.push({ reason: 'FieldValueInvalid', field: `${at}.${part}`, message });
    }
  }
  for (const [name, property] of tree.properties)
    collect(property, under(path, `properties[${name}]`), errors);
  if (tree.additional) collect(tree.additional, under(path, 'additionalProperties'), errors);
  if (tree.items) collect(tree.items, under(path, 'items'), errors);
};

/**
 * What is wrong with the CEL rules of a schema; nothing when all of them can run. The paths start at
 * the schema, such as `properties[spec].x-kubernetes-validations[0].rule`.
 */
export const ruleProblems = (schema: StructuralSchema): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const tree = compileRules(schema);
  if (tree !== undefined) collect(tree, '', errors);
  return errors;
};
