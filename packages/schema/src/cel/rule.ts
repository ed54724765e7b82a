import { present } from '../present.ts';
import type { StructuralSchema, ValidationRule } from '../structural/structural-schema.ts';
import type { PathStep } from '../structural/walk.ts';
import type { DeclaredSize } from './cost/declared-size.ts';
import { problemText } from './failure.ts';
import { compileProgram, type Program } from './program.ts';
import { parseRulePath } from './rule-path.ts';
import { type CelType, optionalOf } from './types.ts';

interface RuleCosts {
  /** Upper bound of the estimated cost of one run of each part; undefined for parts that do not compile. */
  readonly costs: { readonly rule?: number; readonly messageExpression?: number };
}

/** A rule that is ready to run. */
export interface CompiledRule extends RuleCosts {
  readonly rule: ValidationRule;
  readonly test: Program;
  /** True if the rule speaks of the old value; if so, it is about updates only. */
  readonly isTransition: boolean;
  /** True if it runs for new values too, and sees the old one as an optional. */
  readonly takesNoOld: boolean;
  readonly message: Program | undefined;
  /** Path of the errors, relative to that of the rule. */
  readonly path: readonly PathStep[];
}

/** A problem of a rule, and the part of it that has the problem. */
export interface RuleProblem {
  readonly part: 'rule' | 'messageExpression' | 'fieldPath';
  readonly detail: string;
}

export interface BadRule extends RuleCosts {
  readonly rule: ValidationRule;
  readonly problems: readonly RuleProblem[];
}

const compilePart = (
  part: 'rule' | 'messageExpression',
  source: string,
  resultType: 'bool' | 'string',
  variables: { readonly [name: string]: CelType },
  size: DeclaredSize | undefined,
): Program | RuleProblem => {
  const program = compileProgram(source, variables, { size });
  const prefix = part === 'rule' ? '' : 'messageExpression ';
  if ('problem' in program) {
    const detail = `${prefix}compilation failed: ${problemText(source, program.problem)}`;
    return { part, detail };
  }
  if (program.type.kind === resultType) return program;
  const what =
    part === 'rule'
      ? 'cel expression must evaluate to a bool'
      : `${part} must evaluate to a string`;
  return { part, detail: what };
};

/** Compiles one rule of a schema whose values have the given type and size. */
export const compileRule = (
  rule: ValidationRule,
  schema: StructuralSchema,
  type: CelType,
  size: DeclaredSize | undefined,
): CompiledRule | BadRule => {
  const takesNoOld = rule.optionalOldSelf ?? false;
  const variables = { self: type, oldSelf: takesNoOld ? optionalOf(type) : type };
  const test = compilePart('rule', rule.rule, 'bool', variables, size);
  const { messageExpression = '', fieldPath = '' } = rule;
  const message =
    messageExpression === ''
      ? undefined
      : compilePart('messageExpression', messageExpression, 'string', variables, size);
  const path = parseRulePath(fieldPath, schema);
  const costs = present({
    rule: 'cost' in test ? test.cost : undefined,
    messageExpression: message && 'cost' in message ? message.cost : undefined,
  });
  const problems: RuleProblem[] = [];
  if ('part' in test) problems.push(test);
  if (message !== undefined && 'part' in message) problems.push(message);
  if ('error' in path) {
    problems.push({ part: 'fieldPath', detail: `fieldPath must be a valid path: ${path.error}` });
  }
  if ('part' in test || (message !== undefined && 'part' in message) || 'error' in path) {
    return { rule, problems, costs };
  }
  return { rule, costs, test, isTransition: test.uses('oldSelf'), takesNoOld, message, path };
};
