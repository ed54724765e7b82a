import type { CallForm } from '../shape.ts';
import type { CelType } from '../types.ts';
import type { DeclaredSize } from './declared-size.ts';
import type { EntrySize, Size } from './size.ts';

/** Upper bounds of the cost of an expression, and of the size of its value. */
export interface Estimate {
  readonly cost: number;
  /** Nothing when it is not known. */
  readonly size: Size | undefined;
  readonly entry?: EntrySize | undefined;
  /** Path of the value in the declared types; empty if it is not part of them. */
  readonly path: readonly string[];
}

/** Cost that a call adds to that of its arguments, and the size of its result if it can be estimated. */
export interface CallCost {
  readonly cost: number;
  readonly size?: Size;
}

/** A call of one function, as its cost depends on it. */
export interface CallFacts {
  readonly form: CallForm;
  /** The types of the parameters of the function. */
  readonly parameters: readonly CelType[];
  readonly args: readonly Estimate[];
  readonly root: DeclaredSize;
  /** The size of an argument, as large as it may be. */
  readonly sizeOf: (index: number) => Size;
}

export type CostRule = (call: CallFacts) => CallCost | undefined;

export const LIST_COST = 10;
export const TEXT_PRICE = 0.1;
export const PATTERN_PRICE = 0.25;
export const NOMINAL: CallCost = { cost: 1 };
