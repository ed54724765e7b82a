import type { ASTNode } from '@marcbachmann/cel-js';
import type { Compile, Context, Expression, Run } from './expression.ts';
import { CelFailure, CompileFailure, noSuchOverload } from './failure.ts';
import { callShape, literalShape } from './shape.ts';
import { BOOL, type CelType, DYN, optionalOf, STRING, typeText } from './types.ts';
import {
  ListValue,
  type MapKey,
  MapValue,
  NONE,
  OptionalValue,
  StructValue,
  Uint,
  type Value,
} from './values.ts';

/** The key of a map for a value; 1, 1u and 1.0 are the same key. */
export const toMapKey = (value: Value): MapKey | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (value instanceof Uint) return value.value;
  return typeof value === 'object' ? undefined : value;
};

/** The value under a key; undefined if there is none. */
const lookUp = (target: Value, key: Value): Value | undefined => {
  if (target instanceof StructValue) return typeof key === 'string' ? target.get(key) : undefined;
  if (target instanceof MapValue) {
    const mapKey = toMapKey(key);
    return mapKey === undefined ? undefined : target.entries.get(mapKey);
  }
  if (target instanceof ListValue) {
    const index = toMapKey(key);
    if (typeof index !== 'bigint') throw noSuchOverload();
    return target.items[Number(index)];
  }
  // A value that cannot be a map was refused before; the others have no such key.
  return undefined;
};

const keyText = (key: Value): string => (typeof key === 'object' ? 'object' : String(key));

const lookUpOrFail = (target: Value, key: Value): Value => {
  const value = lookUp(target, key);
  if (value !== undefined) return value;
  throw new CelFailure(
    target instanceof ListValue
      ? `index out of bounds: ${keyText(key)}`
      : `no such key: ${keyText(key)}`,
  );
};

/** Inside an optional, what is missing makes the whole chain none. */
const lookUpOptional = (target: Value, key: Value): OptionalValue => {
  const inner = target instanceof OptionalValue ? target.value : target;
  const value = inner === undefined ? undefined : lookUp(inner, key);
  return value === undefined ? NONE : new OptionalValue(value);
};

const fieldType = (target: CelType, name: string, position: number): CelType => {
  switch (target.kind) {
    case 'object': {
      const field = target.fields.get(name);
      if (field === undefined) throw new CompileFailure(`undefined field '${name}'`, position);
      return field.type;
    }
    case 'map':
      return target.value;
    case 'dyn':
      return DYN;
    default:
      throw new CompileFailure(
        `type '${typeText(target)}' does not support field selection`,
        position,
      );
  }
};

const elementType = (target: CelType, key: Expression, position: number): CelType => {
  const keyKind = key.type.kind;
  if (target.kind === 'dyn') return DYN;
  if (target.kind === 'map') return target.value;
  if (target.kind === 'list' && (keyKind === 'int' || keyKind === 'dyn')) return target.item;
  const argumentTypes = `(${typeText(target)}, ${typeText(key.type)})`;
  throw new CompileFailure(
    `found no matching overload for '_[_]' applied to '${argumentTypes}'`,
    position,
  );
};

const access =
  (target: Run, key: Run, read: (target: Value, key: Value) => Value): Run =>
  (scope) => {
    const value = target(scope);
    scope.budget.spend(1);
    return read(value, key(scope));
  };

/** Value of a field or index access; on an optional, always an optional. */
const accessTo = (
  target: Expression,
  key: Run,
  typeAt: (type: CelType) => CelType,
  isOptional: boolean,
): Pick<Expression, 'type' | 'run'> => {
  const inner = target.type.kind === 'optional' ? target.type.of : target.type;
  const type = typeAt(inner);
  return isOptional || target.type.kind === 'optional'
    ? {
        type: type.kind === 'optional' ? type : optionalOf(type),
        run: access(target.run, key, lookUpOptional),
      }
    : { type, run: access(target.run, key, lookUpOrFail) };
};

export const compileSelect = (
  target: Expression,
  name: string,
  position: number,
  isOptional: boolean,
): Expression => {
  const typeAt = (type: CelType): CelType => fieldType(type, name, position);
  const { type, run } = accessTo(target, () => name, typeAt, isOptional);
  return isOptional
    ? { ...callShape('_?._', type, [target, literalShape(STRING, name)]), run }
    : { type, run, form: { kind: 'select', target, field: name } };
};

export const compileIndex = (
  target: Expression,
  key: Expression,
  position: number,
  isOptional: boolean,
): Expression => {
  const typeAt = (type: CelType): CelType => elementType(type, key, position);
  const { type, run } = accessTo(target, key.run, typeAt, isOptional);
  return isOptional || target.type.kind === 'optional'
    ? { ...callShape(isOptional ? '_[?_]' : '_[_]', type, [target, key]), run }
    : { type, run, form: { kind: 'index', target, key } };
};

/** Compiles `has(target.name)`. */
export const compileHas = (
  argument: ASTNode | undefined,
  position: number,
  context: Context,
  compile: Compile,
): Expression => {
  if (argument?.op !== '.' && argument?.op !== '.?') {
    throw new CompileFailure('invalid argument to has() macro', argument?.pos ?? 0);
  }
  const [targetNode, name] = argument.args;
  const target = compile(targetNode, context);
  const inner = target.type.kind === 'optional' ? target.type.of : target.type;
  fieldType(inner, name, position);
  return {
    type: BOOL,
    form: { kind: 'has', target },
    run: (scope) => {
      const value = target.run(scope);
      return lookUpOptional(value, name).value !== undefined;
    },
  };
};
