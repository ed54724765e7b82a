/**
 * Why an expression has no value. `&&`, `||`, `all` and `exists` may go on after one, so that failures
 * are part of normal evaluation; they are not Errors because making a stack trace for each is slow.
 */
export class CelFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The arguments of a call whose types were not known in advance fit none of its signatures. */
export const noSuchOverload = (): CelFailure => new CelFailure('no such overload');

/** An expression costs more than it may. Nothing in the expression can go on after this. */
export class BudgetExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

/** A problem of the source of an expression, with its position. */
export interface CompileProblem {
  readonly message: string;
  readonly position: number;
}

/** Ends the compilation of an expression. */
export class CompileFailure {
  readonly problem: CompileProblem;

  constructor(message: string, position: number) {
    this.problem = { message, position };
  }
}

/** The problem as CEL shows it: with the line of the expression, and a mark under the place. */
export const problemText = (source: string, { message, position }: CompileProblem): string => {
  const before = source.slice(0, position).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = source.split('\n')[before.length - 1] ?? '';
  const mark = `${'.'.repeat(column)}^`;
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${mark}`;
};
