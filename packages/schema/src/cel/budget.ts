import { BudgetExceeded } from './failure.ts';

/** Bounds of the cost of all rules of one object, and of one evaluation of one rule. */
const OBJECT_BUDGET = 10_000_000;
const CALL_BUDGET = 1_000_000;

/** The cost of a pass over a string, for each of its characters. */
const STRING_FACTOR = 0.1;
const PATTERN_FACTOR = 0.25;

/** Our engine is slower on bad patterns than Go's; this keeps a unit of cost about the same time. */
const PATTERN_SLOWNESS = 4;

/**
 * Counts what evaluation costs, in the units of CEL: about one for each step, and one for each ten
 * characters of a string that is walked. Counting, unlike a clock, ends a rule at the same point on
 * every machine.
 */
export class Budget {
  #left: number;
  #callLeft = CALL_BUDGET;

  constructor(limit: number = OBJECT_BUDGET) {
    this.#left = limit;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Begins another evaluation, with its own limit. */
  startCall(): void {
    this.#callLeft = Math.min(CALL_BUDGET, this.#left);
  }

  /** Throws `BudgetExceeded` when the evaluation has cost too much. */
  spend(cost: number): void {
    this.#callLeft -= cost;
    this.#left -= cost;
    if (this.#callLeft < 0) throw new BudgetExceeded();
  }
}

export const textCost = (length: number): number => Math.ceil(length * STRING_FACTOR);

export const patternCost = (textLength: number, patternLength: number): number =>
  Math.ceil((textLength + 1) * STRING_FACTOR) *
  Math.ceil(patternLength * PATTERN_FACTOR) *
  PATTERN_SLOWNESS;
