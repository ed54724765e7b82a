import type { CallForm } from '../shape.ts';
import type { CelType } from '../types.ts';
import type { DeclaredSize } from './declared-size.ts';
import type { EntrySize, Size } from './size.ts';

/** What an expression may cost at most, and how large its value may be. */
export interface Estimate {
  readonly cost: number;
  /** Nothing when it is not known. */
  readonly size: Size | undefined;
  readonly entry?: EntrySize | undefined;
  /** Where in the declared types the value is; empty when it is nowhere there. */
  readonly path: readonly string[];
}

/** What a call adds to what its arguments cost, and the size of its result if that is known. */
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
