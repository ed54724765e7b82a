import type { CelType } from './types.ts';
import type { Value } from './values.ts';

/** Operator and operands of an expression, as far as its cost estimate needs them. */
export type Form =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'select'; readonly target: Shape; readonly field: string }
  | { readonly kind: 'has'; readonly target: Shape }
  | { readonly kind: 'index'; readonly target: Shape; readonly key: Shape }
  | { readonly kind: 'list'; readonly items: readonly Shape[] }
  | { readonly kind: 'map'; readonly keys: readonly Shape[]; readonly values: readonly Shape[] }
  | { readonly kind: 'message'; readonly values: readonly Shape[] }
  | CallForm
  | FoldForm
  | { readonly kind: 'bind'; readonly name: string; readonly init: Shape; readonly result: Shape };

/** A call; of a method, the receiver is the first argument. */
export interface CallForm {
  readonly kind: 'call';
  readonly name: string;
  readonly isMethod: boolean;
  readonly args: readonly Shape[];
  /** The types of the parameters of each function that it may be. */
  readonly overloads: readonly (readonly CelType[])[];
}

/** The form to which all loops compile: an accumulator that each step computes anew. */
export interface FoldForm {
  readonly kind: 'fold';
  readonly range: Shape;
  /** One variable, or one for the key and one for the value. */
  readonly names: readonly string[];
  readonly init: Shape;
  readonly condition: Shape;
  readonly step: Shape;
  readonly result: Shape;
}

export interface Shape {
  readonly type: CelType;
  readonly form: Form;
}

export const literalShape = (type: CelType, value: Value): Shape => ({
  type,
  form: { kind: 'literal', value },
});

export const nameShape = (type: CelType, name: string): Shape => ({
  type,
  form: { kind: 'name', name },
});

export const callShape = (
  name: string,
  type: CelType,
  args: readonly Shape[],
  isMethod = false,
): Shape => ({
  type,
  form: { kind: 'call', name, isMethod, args, overloads: [args.map((arg) => arg.type)] },
});
