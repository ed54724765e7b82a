import { costProblems, type ExpressionCost, ownCosts } from '../cel/cost/cost-problems.ts';
import { compileRules, type RuleTree } from '../cel/rule-tree.ts';
import type { FieldError } from '../errors.ts';
import { goStruct } from '../go-text.ts';
import type { JsonObject } from '../json.ts';
import type { StructuralSchema, ValidationRule } from '../structural/structural-schema.ts';

/** The rule as Kubernetes shows it in the error about it. */
const printableRule = (rule: ValidationRule): JsonObject => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

const under = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);

interface Findings {
  readonly errors: FieldError[];
  readonly costs: ExpressionCost[];
}

const collect = (tree: RuleTree, path: string, findings: Findings): void => {
  for (const [index, rule] of tree.rules.entries()) {
    if (!('problems' in rule)) continue;
    const at = under(path, `x-kubernetes-validations[${index}]`);
    for (const { part, detail } of rule.problems) {
      const message = `Invalid value: ${goStruct(printableRule(rule.rule))}: ${detail}`;
      findings.errors.push({ reason: 'FieldValueInvalid', field: `${at}.${part}`, message });
    }
  }
  for (const [name, property] of tree.properties)
    collect(property, under(path, `properties[${name}]`), findings);
  if (tree.additional) collect(tree.additional, under(path, 'additionalProperties'), findings);
  if (tree.items) collect(tree.items, under(path, 'items'), findings);
  for (const cost of ownCosts(tree, path === '' ? '' : `${path}.`)) findings.costs.push(cost);
};

/**
 * Problems of the CEL rules of a schema; empty if all of them compile, and cost no more than
 * allowed. The paths start at the schema, such as `properties[spec].x-kubernetes-validations[0].rule`;
 * that of an error about all rules is empty.
 */
export const ruleProblems = (
  schema: StructuralSchema,
  /** True if the schema was taken before, whatever it costs. */
  isKnown = false,
): readonly FieldError[] => {
  const foundProblems: Findings = { errors: [], costs: [] };
  const tree = compileRules(schema);
  if (tree !== undefined) collect(tree, '', foundProblems);
  return isKnown
    ? foundProblems.errors
    : [...foundProblems.errors, ...costProblems(foundProblems.costs)];
};
