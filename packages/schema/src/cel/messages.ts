import type { ASTNode } from '@marcbachmann/cel-js';
import { identityText } from './equality.ts';
import { isSelectableKeyword } from './escape.ts';
import type { Compile, Context, Expression } from './expression.ts';
import { CompileFailure } from './failure.ts';
import { accepts, type CelType, opaque, typeText } from './types.ts';
import { OpaqueValue, OptionalValue, type Value } from './values.ts';

const MESSAGE_COST = 40;

/** The types of the fields of a message by its name; undefined for what is no message, or no field. */
export type Messages = (name: string) => ((field: string) => CelType | undefined) | undefined;

export type MessageValue = OpaqueValue<ReadonlyMap<string, Value>>;

export const isMessage = (value: Value): value is MessageValue =>
  value instanceof OpaqueValue && value.value instanceof Map;

const identityOf = (fields: ReadonlyMap<string, Value>): string =>
  [...fields]
    .map(([name, value]) => `${name}:${identityText(value)}`)
    .sort()
    .join();

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly value: Expression;
}

const fieldName = (node: ASTNode): string | undefined => {
  if (node.op === 'id') return node.args;
  const isKeyword =
    node.op === 'value' && typeof node.args === 'string' && isSelectableKeyword(node.args);
  return isKeyword ? String(node.args) : undefined;
};

const fieldOf = (
  [key, valueNode]: readonly [ASTNode, ASTNode],
  typeOf: (field: string) => CelType | undefined,
  context: Context,
  compile: Compile,
): Field => {
  const isOptional = key.op === '!_';
  const name = isOptional ? key.args : key;
  const field = fieldName(name);
  if (field === undefined) {
    throw new CompileFailure('Syntax error: expected the name of a field', key.pos);
  }
  const type = typeOf(field);
  const value = compile(valueNode, context);
  const valueType = isOptional && value.type.kind === 'optional' ? value.type.of : value.type;
  if (type === undefined || !accepts(type, valueType)) {
    const expectedType = type === undefined ? '' : typeText(type);
    throw new CompileFailure(
      `expected type of field '${field}' is '${expectedType}' but provided type is '${typeText(valueType)}'`,
      Math.max(name.pos, key.input.indexOf(':', name.end)),
    );
  }
  return { name: field, isOptional, value };
};

/** Compiles the making of a message of which the fields stand in a map. */
export const compileMessage = (
  name: string,
  [fieldsNode]: readonly ASTNode[],
  position: number,
  context: Context,
  compile: Compile,
): Expression => {
  const typeOf = context.messages?.(name);
  if (typeOf === undefined || fieldsNode?.op !== 'map') {
    throw new CompileFailure(`undeclared reference to '${name}' (in container '')`, position);
  }
  const fields = fieldsNode.args.map((entry) => fieldOf(entry, typeOf, context, compile));
  return {
    type: opaque(name),
    form: { kind: 'message', values: fields.map(({ value }) => value) },
    run: (scope) => {
      scope.budget.spend(MESSAGE_COST);
      const fieldValues = new Map<string, Value>();
      for (const { name: field, isOptional, value } of fields) {
        const fieldValue = value.run(scope);
        const inner =
          isOptional && fieldValue instanceof OptionalValue ? fieldValue.value : fieldValue;
        if (inner !== undefined) fieldValues.set(field, inner);
      }
      return new OpaqueValue(name, fieldValues, identityOf);
    },
  };
};
