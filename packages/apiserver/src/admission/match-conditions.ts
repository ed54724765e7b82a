import {
  type AdmissionProgram,
  type AdmissionValues,
  type BadExpression,
  compileAdmission,
  type Declarations,
  evaluate,
  matchBudget,
  OUT_OF_BUDGET,
} from './cel/admission-program.ts';

/** A condition under which a webhook is called, or a policy holds. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** True if all conditions hold; an error if that cannot be evaluated and the failure policy is `Fail`. */
export type MatchOutcome = { readonly matches: boolean } | { readonly error: string };

export type MatchConditions = (values: AdmissionValues) => MatchOutcome;

const ALWAYS: MatchConditions = () => ({ matches: true });

/** Several problems as Kubernetes writes them in one line. */
const joinProblems = (problems: readonly string[]): string => {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? unique.join() : `[${unique.join(', ')}]`;
};

const isBad = (program: AdmissionProgram | BadExpression): program is BadExpression =>
  'problem' in program;

/**
 * Compiles conditions. A false one decides, despite errors of others; with the failure policy `Ignore`, an error
 * means no match.
 */
export const compileMatchConditions = (
  conditions: readonly MatchCondition[],
  declarations: Declarations,
  failurePolicy: string | undefined,
): MatchConditions => {
  if (conditions.length === 0) return ALWAYS;
  const programs = conditions.map(({ expression }) =>
    compileAdmission(expression, declarations, ['bool']),
  );
  const failureOutcome = (error: string): MatchOutcome =>
    failurePolicy === 'Ignore' ? { matches: false } : { error };
  return (values) => {
    const budget = matchBudget();
    const problems: string[] = [];
    for (const program of programs) {
      if (isBad(program)) {
        problems.push(`compilation error: ${program.problem}`);
        continue;
      }
      const outcome = evaluate(program, declarations, values, budget);
      if ('spent' in outcome) return failureOutcome(OUT_OF_BUDGET);
      if ('error' in outcome) problems.push(outcome.error);
      else if (outcome.value !== true) return { matches: false };
    }
    return problems.length === 0 ? { matches: true } : failureOutcome(joinProblems(problems));
  };
};
