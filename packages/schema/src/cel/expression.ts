import type { ASTNode } from '@marcbachmann/cel-js';
import type { Budget } from './budget.ts';
import type { Messages } from './messages.ts';
import type { Shape } from './shape.ts';
import type { CelType } from './types.ts';
import type { Value } from './values.ts';

/** State of one evaluation: its budget, and a slot for the value of each variable. */
export interface Scope {
  readonly budget: Budget;
  readonly slots: Value[];
}

export type Run = (scope: Scope) => Value;

/** A compiled expression: what it is, and how to evaluate it. */
export interface Expression extends Shape {
  readonly run: Run;
  /** The value, if the expression is a literal. */
  readonly literal?: Value;
}

export interface Variable {
  readonly slot: number;
  readonly type: CelType;
}

/** The variables in sight at a place in an expression, and the names that the whole expression uses. */
export interface Context {
  readonly variables: ReadonlyMap<string, Variable>;
  readonly nextSlot: number;
  readonly usedVariables: Set<string>;
  /** Messages that expressions may construct; none by default. */
  readonly messages?: Messages;
}

export type Compile = (node: ASTNode, context: Context) => Expression;

/** Brings another variable in sight, in a slot of its own; it may hide one of the same name. */
export const withVariable = (context: Context, name: string, type: CelType): Context => ({
  ...context,
  variables: new Map(context.variables).set(name, { slot: context.nextSlot, type }),
  nextSlot: context.nextSlot + 1,
});
