import { Environment, ParseError } from '@marcbachmann/cel-js';
import { present } from '../present.ts';
import type { Budget } from './budget.ts';
import { compile } from './compile.ts';
import type { DeclaredSize } from './cost/declared-size.ts';
import { estimateCost } from './cost/estimate.ts';
import type { Context, Scope, Variable } from './expression.ts';
import { CompileFailure, type CompileProblem } from './failure.ts';
import { spellMessages } from './message-text.ts';
import type { Messages } from './messages.ts';
import type { CelType } from './types.ts';
import type { Value } from './values.ts';

/**
 * A CEL expression that is ready to run. The library parses; types, evaluation and the functions of
 * Kubernetes are our own, because the library's evaluator cannot be stopped: a failure inside `all` or
 * `exists` does not end the loop, so that no budget could end it either.
 */
export interface Program {
  readonly type: CelType;
  readonly uses: (variable: string) => boolean;
  /** Upper bound of the cost; infinite without a declared size. */
  readonly cost: number;
  /** Throws `CelFailure` when the expression has no value, and `BudgetExceeded`. */
  readonly run: (budget: Budget, values: readonly Value[]) => Value;
}

export interface ProgramOptions {
  /** The messages that the expression may make. */
  readonly messages?: Messages | undefined;
  /** Bounds of the size of the variables. */
  readonly size?: DeclaredSize | undefined;
}

export interface BadProgram {
  readonly problem: CompileProblem;
}

const parser = new Environment({ enableOptionalTypes: true });

const problemOf = (error: unknown): CompileProblem => {
  if (error instanceof CompileFailure) return error.problem;
  if (error instanceof ParseError) {
    return { message: `Syntax error: ${error.summary}`, position: error.range?.start ?? 0 };
  }
  if (error instanceof RangeError) {
    return { message: 'expression is nested too deeply', position: 0 };
  }
  throw error;
};

/** Compiles an expression; its variables get their values in the order in which they are named here. */
export const compileProgram = (
  source: string,
  variables: { readonly [name: string]: CelType },
  { messages, size }: ProgramOptions = {},
): Program | BadProgram => {
  const names = Object.entries(variables).map(([name, type], slot): [string, Variable] => [
    name,
    { slot, type },
  ]);
  const context: Context = {
    variables: new Map(names),
    nextSlot: names.length,
    usedVariables: new Set(),
    ...present({ messages }),
  };
  const { text, sourceOf } = spellMessages(source);
  try {
    const expression = compile(parser.parse(text).ast, context);
    const { type, run } = expression;
    return {
      type,
      cost: size === undefined ? Number.POSITIVE_INFINITY : estimateCost(expression, size),
      uses: (variable) => context.usedVariables.has(variable),
      run: (budget, values) => {
        const scope: Scope = { budget, slots: [...values] };
        return run(scope);
      },
    };
  } catch (error) {
    const { message, position } = problemOf(error);
    return { problem: { message, position: sourceOf(position) } };
  }
};
