import type { ASTNode } from '@marcbachmann/cel-js';
import { compileIndex, compileSelect } from './access.ts';
import { compileCall, isFunction } from './calls.ts';
import type { Context, Expression } from './expression.ts';
import { CompileFailure } from './failure.ts';
import {
  commonTypeOf,
  compileLiteral,
  intLiteral,
  listExpression,
  literal,
  mapExpression,
} from './literals.ts';
import { compileLogic, compileTernary } from './logic.ts';
import { macroFor } from './macros.ts';
import { MAKE_MESSAGE } from './message-text.ts';
import { compileMessage } from './messages.ts';
import { positionOf } from './position.ts';
import { nameShape } from './shape.ts';
import { DYN, TYPE } from './types.ts';
import { TypeValue } from './values.ts';

const OPERATORS: { readonly [op: string]: string } = {
  '==': '_==_',
  '!=': '_!=_',
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  '+': '_+_',
  '-': '_-_',
  '*': '_*_',
  '/': '_/_',
  '%': '_%_',
  in: '@in',
};

const TYPE_NAMES = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
  'optional_type',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
]);

/** A name with dots, such as `google.protobuf.Duration`, if the node is one. */
const dottedName = (node: ASTNode): string | undefined => {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return undefined;
  const before = dottedName(node.args[0]);
  return before === undefined ? undefined : `${before}.${node.args[1]}`;
};

const compileName = (name: string, position: number, context: Context): Expression => {
  const variable = context.variables.get(name);
  if (variable !== undefined) {
    context.usedVariables.add(name);
    const { slot, type } = variable;
    return {
      ...nameShape(type, name),
      run: ({ budget, slots }) => {
        budget.spend(1);
        return slots[slot] ?? null;
      },
    };
  }
  if (!TYPE_NAMES.has(name)) {
    throw new CompileFailure(`undeclared reference to '${name}' (in container '')`, position);
  }
  return { ...literal(new TypeValue(name)), ...nameShape(TYPE, name) };
};

const compileMap = (
  nodes: readonly (readonly [ASTNode, ASTNode])[],
  context: Context,
): Expression => {
  const keyNodes = nodes.map(([key]) => key);
  const valueNodes = nodes.map(([, value]) => value);
  const keys = keyNodes.map((key) => compile(key, context));
  const values = valueNodes.map((value) => compile(value, context));
  const type = { key: commonTypeOf(keys, keyNodes), value: commonTypeOf(values, valueNodes) };
  return mapExpression(keys, values, type);
};

/** A call such as `sets.contains(a, b)` looks like a method, but its target is part of the name. */
const qualifiedName = (target: ASTNode, name: string, context: Context): string | undefined => {
  const prefix =
    target.op === 'id' && !context.variables.has(target.args) ? target.args : undefined;
  return prefix === undefined ? undefined : `${prefix}.${name}`;
};

const compileMethod = (
  name: string,
  target: ASTNode,
  args: readonly ASTNode[],
  position: number,
  context: Context,
): Expression => {
  const message = name === MAKE_MESSAGE ? dottedName(target) : undefined;
  if (message !== undefined) return compileMessage(message, args, position, context, compile);
  const qualified = qualifiedName(target, name, context);
  if (qualified !== undefined) {
    const macro = macroFor(qualified, args.length, false);
    if (macro !== undefined) return macro({ target: undefined, args, position, context, compile });
    if (isFunction(qualified)) {
      return compileCall(
        qualified,
        false,
        args.map((arg) => compile(arg, context)),
        position,
      );
    }
  }
  const macro = macroFor(name, args.length, true);
  if (macro !== undefined) return macro({ target, args, position, context, compile });
  const [first] = args;
  const compileArgument = (arg: ASTNode): Expression =>
    name === 'format' && arg === first && arg.op === 'list'
      ? listExpression(
          arg.args.map((item) => compile(item, context)),
          DYN,
        )
      : compile(arg, context);
  return compileCall(name, true, [target, ...args].map(compileArgument), position);
};

/** Compiles a node of CEL's syntax tree. Throws `CompileFailure`. */
export const compile = (node: ASTNode, context: Context): Expression => {
  const pos = positionOf(node);
  switch (node.op) {
    case 'value':
      return compileLiteral(node.args, pos);
    case 'id':
      return compileName(node.args, pos, context);
    case '.': {
      const name = dottedName(node);
      // A variable may have a dot in its name, such as `authorizer.requestResource`.
      const isName = name !== undefined && (TYPE_NAMES.has(name) || context.variables.has(name));
      if (isName) return compileName(name, pos, context);
      return compileSelect(compile(node.args[0], context), node.args[1], pos, false);
    }
    case '.?':
      return compileSelect(compile(node.args[0], context), node.args[1], pos, true);
    case '[]':
    case '[?]': {
      const [target, key] = node.args.map((part) => compile(part, context));
      if (target === undefined || key === undefined) throw new CompileFailure('no key', pos);
      return compileIndex(target, key, pos, node.op === '[?]');
    }
    case 'call': {
      const [name, args] = node.args;
      const macro = macroFor(name, args.length, false);
      if (macro !== undefined)
        return macro({ target: undefined, args, position: pos, context, compile });
      return compileCall(
        name,
        false,
        args.map((arg) => compile(arg, context)),
        pos,
      );
    }
    case 'rcall':
      return compileMethod(node.args[0], node.args[1], node.args[2], pos, context);
    case 'list': {
      const items = node.args.map((item) => compile(item, context));
      return listExpression(items, commonTypeOf(items, node.args));
    }

    case 'map':
      return compileMap(node.args, context);
    case '?:': {
      const [condition, yes, no] = node.args;
      return compileTernary(
        [compile(condition, context), compile(yes, context), compile(no, context)],
        pos,
      );
    }
    case '&&':
    case '||':
      return compileLogic(node, node.op, context, compile);
    case '-_':
      if (node.args.op === 'value' && typeof node.args.args === 'bigint')
        return intLiteral(-node.args.args, pos);
      return compileCall('-_', false, [compile(node.args, context)], pos);
    case '!_':
      return compileCall('!_', false, [compile(node.args, context)], pos);
    default: {
      const [left, right] = node.args;
      return compileCall(
        OPERATORS[node.op] ?? node.op,
        false,
        [compile(left, context), compile(right, context)],
        pos,
      );
    }
  }
};
