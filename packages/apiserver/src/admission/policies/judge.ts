import { Budget } from '@perigee/schema/cel/budget';
import {
  type AdmissionProgram,
  type AdmissionValues,
  type BadExpression,
  type Declarations,
  type Evaluation,
  evaluate,
  OUT_OF_BUDGET,
} from '../cel/admission-program.ts';
import type { Policy, Validation } from './policy.ts';
import { withVariables } from './with-variables.ts';

/** A violation of a policy by a request. */
export interface Finding {
  /** The place of the validation in the policy. */
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

/** The judgement of a policy on a request with one set of params. */
export interface Judgement {
  readonly findings: readonly Finding[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Errors of the expressions for audit annotations. */
  readonly annotationErrors: readonly string[];
}

const NOTHING: Judgement = { findings: [], annotations: [], annotationErrors: [] };
const LONGEST_MESSAGE = 5 * 1024;
const LONGEST_ANNOTATION = 10 * 1024;

type Run = (program: AdmissionProgram | BadExpression, declarations: Declarations) => Evaluation;

/** Result of the message expression, if it is a valid message. */
const evaluateMessage = (
  run: Run,
  { messageExpression }: Validation,
  declarations: Declarations,
) => {
  if (messageExpression === undefined) return '';
  const result = run(messageExpression, declarations);
  if ('spent' in result) return undefined;
  const text = 'value' in result && typeof result.value === 'string' ? result.value.trim() : '';
  return text.includes('\n') || text.length > LONGEST_MESSAGE ? '' : text;
};

const failure = (index: number, message: string): Finding => ({ index, message, reason: '' });

const findingsOf = (policy: Policy, run: Run): readonly Finding[] => {
  const { validations, declarations, textDeclarations, ignoresFailures } = policy;
  const findings: Finding[] = [];
  for (const [index, validation] of validations.entries()) {
    const outcome = run(validation.test, declarations);
    if ('spent' in outcome) return ignoresFailures ? [] : [failure(0, OUT_OF_BUDGET)];
    if ('error' in outcome) {
      if (!ignoresFailures) findings.push(failure(index, outcome.error));
    } else if (outcome.value !== true) {
      const messageText = evaluateMessage(run, validation, textDeclarations);
      const { message, expression, reason } = validation;
      const text = messageText || message.trim() || `failed expression: ${expression.trim()}`;
      if (messageText !== undefined) findings.push({ index, message: text, reason });
      else if (!ignoresFailures) {
        findings.push(failure(index, `failed messageExpression: ${OUT_OF_BUDGET}`));
      }
    }
  }
  return findings;
};

const annotationsOf = (policy: Policy, run: Run): Omit<Judgement, 'findings'> => {
  const annotations: { key: string; value: string }[] = [];
  const errors: string[] = [];
  for (const { key, value: program } of policy.auditAnnotations) {
    const outcome = run(program, policy.textDeclarations);
    if ('value' in outcome) {
      const text = typeof outcome.value === 'string' ? outcome.value.trim() : '';
      if (text !== '') annotations.push({ key, value: text.slice(0, LONGEST_ANNOTATION) });
    } else if (!policy.ignoresFailures) {
      errors.push('error' in outcome ? outcome.error : OUT_OF_BUDGET);
    }
  }
  return { annotations, annotationErrors: errors };
};

/** Evaluates a policy for a request. Errors of its expressions become findings. */
export const judge = (policy: Policy, values: AdmissionValues): Judgement => {
  const match = policy.conditions(values);
  if ('error' in match) return { ...NOTHING, findings: [failure(0, match.error)] };
  if (!match.matches) return NOTHING;
  const runnerOf = (budget: Budget): Run => {
    const complete = withVariables(policy, values, budget);
    return (program, declarations) =>
      'problem' in program
        ? { error: `compilation error: ${program.problem}` }
        : evaluate(program, declarations, complete, budget);
  };
  return {
    findings: findingsOf(policy, runnerOf(new Budget())),
    ...annotationsOf(policy, runnerOf(new Budget())),
  };
};
