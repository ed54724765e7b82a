import { callShape, type FoldForm, literalShape, nameShape, type Shape } from './shape.ts';
import { BOOL, type CelType, DYN, INT, listOf, optionalOf } from './types.ts';

/** No variable can have this name. */
export const RESULT = '@result';

/** The list or map of a loop, and the variables of its steps. */
export interface LoopShape {
  readonly range: Shape;
  readonly names: readonly string[];
  readonly bodies: readonly Shape[];
}

const TRUE = literalShape(BOOL, true);
const FALSE = literalShape(BOOL, false);
const ZERO = literalShape(INT, 0n);
const ONE = literalShape(INT, 1n);
const UNKNOWN: Shape = literalShape(DYN, null);

const bodyOf = ({ bodies }: LoopShape): Shape => bodies.at(-1) ?? UNKNOWN;

const fold = (
  { range, names }: LoopShape,
  steps: Pick<FoldForm, 'init' | 'condition' | 'step'> & { readonly result?: Shape },
): FoldForm => ({
  kind: 'fold',
  range,
  names,
  result: nameShape(steps.init.type, RESULT),
  ...steps,
});

export const quantifierForm = (loop: LoopShape, decisive: boolean): FoldForm => {
  const result = nameShape(BOOL, RESULT);
  const goesOn = decisive ? callShape('!_', BOOL, [result]) : result;
  return fold(loop, {
    init: decisive ? FALSE : TRUE,
    condition: callShape('@not_strictly_false', BOOL, [goesOn]),
    step: callShape(decisive ? '_||_' : '_&&_', BOOL, [result, bodyOf(loop)]),
  });
};

export const existsOneForm = (loop: LoopShape): FoldForm => {
  const count = nameShape(INT, RESULT);
  const more = callShape('_+_', INT, [count, ONE]);
  return fold(loop, {
    init: ZERO,
    condition: TRUE,
    step: callShape('_?_:_', INT, [bodyOf(loop), more, count]),
    result: callShape('_==_', BOOL, [count, ONE]),
  });
};

/** A step that is left out when a filter, which stands before the last body, does not let it pass. */
const filtered = ({ bodies }: LoopShape, step: Shape, accumulator: Shape): Shape => {
  const [filter] = bodies;
  return bodies.length < 2 || filter === undefined
    ? step
    : callShape('_?_:_', step.type, [filter, step, accumulator]);
};

export const listForm = (loop: LoopShape): FoldForm => {
  const body = bodyOf(loop);
  const type = listOf(body.type);
  const list = nameShape(type, RESULT);
  const item: Shape = { type, form: { kind: 'list', items: [body] } };
  return fold(loop, {
    init: { type, form: { kind: 'list', items: [] } },
    condition: TRUE,
    step: filtered(loop, callShape('_+_', type, [list, item]), list),
  });
};

/** With a key, a step makes a value for it; without, a whole map. */
export const mapForm = (loop: LoopShape, type: CelType, keyType?: CelType): FoldForm => {
  const map = nameShape(type, RESULT);
  const key = keyType === undefined ? [] : [nameShape(keyType, loop.names[0] ?? '')];
  return fold(loop, {
    init: { type, form: { kind: 'map', keys: [], values: [] } },
    condition: TRUE,
    step: filtered(loop, callShape('cel.@mapInsert', type, [map, ...key, bodyOf(loop)]), map),
  });
};

const SORTED = '@__sortBy_input__';

export const sortForm = ({ range, names, bodies }: LoopShape) => {
  const input = nameShape(range.type, SORTED);
  const form = listForm({ range: input, names, bodies });
  const keys: Shape = { type: form.init.type, form };
  const result = callShape('@sortByAssociatedKeys', range.type, [input, keys], true);
  return { kind: 'bind', name: SORTED, init: range, result } as const;
};

/** `optMap` and `optFlatMap`. */
export const mapOptionalForm = (
  target: Shape,
  inner: CelType,
  name: string,
  body: Shape,
  isFlat: boolean,
) => {
  const init = callShape('value', inner, [target], true);
  const binding: Shape = { type: body.type, form: { kind: 'bind', name, init, result: body } };
  const type = isFlat ? body.type : optionalOf(body.type);
  return callShape('_?_:_', type, [
    callShape('hasValue', BOOL, [target], true),
    isFlat ? binding : callShape('optional.of', type, [binding]),
    callShape('optional.none', type, []),
  ]).form;
};
