import type { ASTNode } from '@marcbachmann/cel-js';
import type { Compile, Context, Expression, Run, Scope } from './expression.ts';
import { CelFailure, CompileFailure, noSuchOverload } from './failure.ts';
import { callShape } from './shape.ts';
import { BOOL, commonType, typeText } from './types.ts';
import type { Value } from './values.ts';

/** The truth value of an expression, or why it has none. */
export const attempt = (run: Run | undefined, scope: Scope): boolean | CelFailure => {
  try {
    const value = run?.(scope);
    return typeof value === 'boolean' ? value : noSuchOverload();
  } catch (failure) {
    if (failure instanceof CelFailure) return failure;
    throw failure;
  }
};

/**
 * Goes through truth values until one decides the whole. A failure counts only when no other value
 * decides: `x || true` is true whatever happens in x.
 */
export const decide = (
  count: number,
  outcomeAt: (index: number) => boolean | CelFailure,
  decisive: boolean,
): boolean => {
  let failure: CelFailure | undefined;
  for (let index = 0; index < count; index++) {
    const outcome = outcomeAt(index);
    if (outcome === decisive) return decisive;
    if (typeof outcome !== 'boolean') failure ??= outcome;
  }
  if (failure !== undefined) throw failure;
  return !decisive;
};

/** The terms of `a && b && c`; a chain may be long, so that it must not be walked by recursion. */
const termsOf = (node: ASTNode, operator: '&&' | '||'): ASTNode[] => {
  const terms: ASTNode[] = [];
  let rest = node;
  while (rest.op === operator) {
    terms.push(rest.args[1]);
    rest = rest.args[0];
  }
  terms.push(rest);
  return terms.reverse();
};

export const compileLogic = (
  node: ASTNode,
  operator: '&&' | '||',
  context: Context,
  compile: Compile,
): Expression => {
  const terms = termsOf(node, operator).map((term) => {
    const expression = compile(term, context);
    const { type } = expression;
    if (type.kind !== 'bool' && type.kind !== 'dyn') {
      throw new CompileFailure(`expected type 'bool' but found '${typeText(type)}'`, term.pos);
    }
    return expression;
  });
  const decisive = operator === '||';
  const runs = terms.map(({ run }) => run);
  return {
    ...callShape(`_${operator}_`, BOOL, terms),
    run: (scope) => decide(runs.length, (index) => attempt(runs[index], scope), decisive),
  };
};

export const compileTernary = (
  [condition, yes, no]: readonly [Expression, Expression, Expression],
  position: number,
): Expression => {
  const type = commonType(yes.type, no.type);
  if ((condition.type.kind !== 'bool' && condition.type.kind !== 'dyn') || type === undefined) {
    const argumentTypes = [condition, yes, no].map((part) => typeText(part.type)).join(', ');
    throw new CompileFailure(
      `found no matching overload for '_?_:_' applied to '(${argumentTypes})'`,
      position,
    );
  }
  return {
    ...callShape('_?_:_', type, [condition, yes, no]),
    run: (scope): Value => {
      const conditionValue = condition.run(scope);
      if (typeof conditionValue !== 'boolean') throw noSuchOverload();
      return conditionValue ? yes.run(scope) : no.run(scope);
    },
  };
};
