import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalidWithoutValue,
  required,
} from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { StructuralSchema, ValidationRule } from '../structural/structural-schema.ts';
import { NO_FIELD, type PathStep, renderPath } from '../structural/walk.ts';
import type { Budget } from './budget.ts';
import { BudgetExceeded, CelFailure } from './failure.ts';
import { toValue } from './from-json.ts';
import type { Program } from './program.ts';
import type { CompiledRule } from './rule.ts';
import type { CelType } from './types.ts';
import { NONE, OptionalValue, type Value } from './values.ts';

/** The values that a rule is evaluated on. */
export interface RuleSubject {
  readonly schema: StructuralSchema;
  readonly type: CelType;
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly path: readonly PathStep[];
}

/** The outcome of a rule: nothing wrong, an error, or an error after which no more rules run. */
export interface RuleOutcome {
  readonly error: FieldError | undefined;
  /** True if the rule held or did not; false when it could not be evaluated. */
  readonly isDecided: boolean;
  readonly isLast: boolean;
}

const FINE: RuleOutcome = { error: undefined, isDecided: true, isLast: false };

/** The longest text that a `messageExpression` may make. */
const LONGEST_MESSAGE = 5 * 1024;

const nameOf = ({ rule, message = '' }: ValidationRule): string => (message || rule).trim();

const run = (
  program: Program,
  budget: Budget,
  values: readonly Value[],
): Value | CelFailure | BudgetExceeded => {
  budget.startCall();
  try {
    return program.run(budget, values);
  } catch (failure) {
    if (failure instanceof CelFailure || failure instanceof BudgetExceeded) return failure;
    throw failure;
  }
};

const variablesOf = ({ type, value, old }: RuleSubject, takesNoOld: boolean): readonly Value[] => {
  const self = toValue(value, type);
  const oldSelf = old === undefined ? undefined : toValue(old, type);
  if (!takesNoOld) return [self, oldSelf ?? null];
  return [self, oldSelf === undefined ? NONE : new OptionalValue(oldSelf)];
};

const pathText = (steps: readonly PathStep[]): string => renderPath(steps) || NO_FIELD;

const couldNotRun = (
  { schema, path }: RuleSubject,
  failure: CelFailure | BudgetExceeded,
  name: string,
): RuleOutcome => {
  const { message } = failure;
  const isLast = failure instanceof BudgetExceeded;
  const detail = isLast
    ? `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`
    : message.startsWith('no such overload')
      ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
      : `${message} evaluating rule: ${name}`;
  return { error: invalid(pathText(path), schema.type ?? '', detail), isDecided: false, isLast };
};

/** Result of the `messageExpression`, if it is valid as a message. */
const madeMessage = (
  program: Program | undefined,
  budget: Budget,
  values: readonly Value[],
): string | BudgetExceeded | undefined => {
  const ruleResult = program && run(program, budget, values);
  if (ruleResult instanceof BudgetExceeded) return ruleResult;
  const text = typeof ruleResult === 'string' ? ruleResult.trim() : '';
  return text === '' || text.includes('\n') || text.length > LONGEST_MESSAGE ? undefined : text;
};

const violation = (
  { schema, value, path }: RuleSubject,
  { rule, path: below }: CompiledRule,
  detail: string,
): FieldError => {
  const field = pathText([...path, ...below]);
  const isLarge = schema.type === 'object' || schema.type === 'array';
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicate(field, isLarge ? undefined : value);
    default:
      return isLarge ? invalidWithoutValue(field, detail) : invalid(field, value, detail);
  }
};

/** Evaluates one rule on one value. Whatever the rule does, the outcome is an error at worst. */
export const evaluateRule = (
  compiled: CompiledRule,
  subject: RuleSubject,
  budget: Budget,
): RuleOutcome => {
  const { rule, test, isTransition, takesNoOld, message } = compiled;
  if (isTransition && subject.old === undefined && !takesNoOld) return FINE;
  const name = nameOf(rule);
  let values: readonly Value[];
  try {
    values = variablesOf(subject, takesNoOld);
  } catch (failure) {
    if (failure instanceof CelFailure) return couldNotRun(subject, failure, name);
    throw failure;
  }
  const result = run(test, budget, values);
  if (result === true) return FINE;
  if (result instanceof CelFailure || result instanceof BudgetExceeded) {
    return couldNotRun(subject, result, name);
  }
  const messageText = madeMessage(message, budget, values);
  if (messageText instanceof BudgetExceeded) {
    const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`;
    return { error: violation(subject, compiled, detail), isDecided: true, isLast: true };
  }
  const detail =
    messageText ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`);
  return { error: violation(subject, compiled, detail), isDecided: true, isLast: false };
};
