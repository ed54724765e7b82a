import { types } from 'node:util';
import { type AnyNode, parseExpressionAt } from 'acorn';
import { PackError } from '../errors.ts';
import { builtInExpression, GLOBALS } from './built-in.ts';
import { closedOver } from './closed-over.ts';
import { type FreeNames, freeNames } from './free-variables.ts';

type AnyFunction = (...args: never[]) => unknown;

const MOST_VALUES = 10_000;

/** Reserved prefix in the script; no variable of a function may have it. */
const OURS = '__perigee_';
const VALUES = `${OURS}values`;
const FILL = `${OURS}fill`;

const expressionIn = (code: string): AnyNode | undefined => {
  try {
    const node = parseExpressionAt(code, 0, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      preserveParens: true,
    });
    return node.end === code.length ? node : undefined;
  } catch {
    return undefined;
  }
};

/** A function's source as an expression. A method is only valid inside an object literal. */
const codeOf = (
  run: AnyFunction,
  path: string,
): { readonly code: string; readonly node: AnyNode } => {
  const text = Function.prototype.toString.call(run);
  if (/\{\s*\[native code\]\s*\}$/.test(text)) {
    throw new PackError(
      `${path} is made by the runtime (${run.name || 'such as a bound function'}), and has no source that could be packed`,
    );
  }
  for (const code of [`(${text})`, `Object.values({ ${text} })[0]`]) {
    const node = expressionIn(code);
    if (node !== undefined) return { code, node };
  }
  throw new PackError(`${path} cannot be read as a function: ${text.slice(0, 80)}`);
};

/** The variable that a class extends. */
const baseOf = (node: AnyNode): string | undefined => {
  const inner = node.type === 'ParenthesizedExpression' ? node.expression : node;
  const base = inner.type === 'ClassExpression' ? inner.superClass : undefined;
  return base?.type === 'Identifier' ? base.name : undefined;
};

const primitive = (value: unknown): string | undefined => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'undefined':
      return 'undefined';
    default:
      return value === null ? 'null' : undefined;
  }
};

/**
 * Serialises values as code, one list item each. All items are created first and filled afterwards, so that
 * they may refer to one another in cycles.
 */
export class PackedValues {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #numbers = new Map<unknown, number>();
  readonly #statements: string[] = [];
  readonly #filled: string[] = [];

  constructor(values: { readonly [variable: string]: unknown }) {
    this.#values = new Map(Object.entries(values));
  }

  /** The statements that recreate all packed values. */
  get code(): string {
    return [
      `const ${VALUES} = [], ${FILL} = [];`,
      ...this.#statements,
      ...this.#filled,
      `for (const one of ${FILL}) one();`,
    ].join('\n');
  }

  /** The expression of a value. `path` names it in errors. */
  pack(value: unknown, path: string): string {
    const simple = primitive(value);
    if (simple !== undefined) return simple;
    if (typeof value === 'symbol')
      throw new PackError(`${path} is a symbol, which is the same nowhere else`);
    const packedNumber = this.#numbers.get(value);
    if (packedNumber !== undefined) return `${VALUES}[${packedNumber}]`;
    const number = this.#numbers.size;
    if (number >= MOST_VALUES) {
      throw new PackError(
        `${path} leads to more than ${MOST_VALUES} values: pack less, and put data into the Dataset`,
      );
    }
    this.#numbers.set(value, number);
    const at = `${VALUES}[${number}]`;
    const builtIn = builtInExpression(value);
    if (builtIn !== undefined) this.#statements.push(`${at} = ${builtIn};`);
    else if (typeof value === 'function') this.#packFunction(value as AnyFunction, at, path);
    else this.#packObject(value as object, at, path);
    return at;
  }

  #packFunction(run: AnyFunction, at: string, path: string): void {
    const { code, node } = codeOf(run, path);
    const { names, assignedNames, surroundings, imports } = freeNames(node);
    const [around] = surroundings;
    if (around !== undefined) {
      throw new PackError(`${path} uses ${around}, which means something else where it runs`);
    }
    for (const name of imports) {
      if (/^[./]|^file:/.test(name)) {
        throw new PackError(
          `${path} imports ${name}, and that file is not where it runs: import modules of Node.js or of the image`,
        );
      }
    }
    const variables = this.#variables(run, { names, assignedNames, base: baseOf(node) }, path);
    const lets = variables.map(([name, value]) => `let ${name} = ${value};`);
    // A function in a reference cycle has no value yet: assign it once all items exist.
    const sets = variables.flatMap(([name, value]) =>
      value.startsWith(VALUES) ? [`${name} = ${value};`] : [],
    );
    const later = sets.length === 0 ? '' : ` ${FILL}.push(() => { ${sets.join(' ')} });`;
    this.#statements.push(`{ ${lets.join(' ')} ${at} = ${code};${later} }`);
  }

  #variables(
    run: AnyFunction,
    {
      names,
      assignedNames,
      base,
    }: Pick<FreeNames, 'names' | 'assignedNames'> & { readonly base: string | undefined },
    path: string,
  ): readonly (readonly [string, string])[] {
    const scopes = names.size === 0 ? undefined : closedOver(run, names);
    return [...names].flatMap((name) => {
      if (name.startsWith(OURS)) throw new PackError(`${path} uses ${name}: give it another name`);
      const isGiven = this.#values.has(name);
      const variable = isGiven
        ? { value: this.#values.get(name) }
        : // Nobody keeps the variable that a class was derived by, but the class itself its base.
          name === base
          ? { value: Object.getPrototypeOf(run) }
          : scopes?.get(name);
      if (variable === undefined) {
        if (GLOBALS.has(name)) return [];
        throw new PackError(
          `${path} uses ${name}, and it cannot be found out what that is: give it as with: { ${name} }, or make it inside of the function`,
        );
      }
      if (name === 'require') return [];
      if (assignedNames.has(name)) {
        throw new PackError(
          `${path} assigns to ${name}, which is a variable outside of it: it would change a copy, where it runs, and nobody would see that`,
        );
      }
      return [[name, this.pack(variable.value, `${path} → ${name}`)] as const];
    });
  }

  #packObject(value: object, at: string, path: string): void {
    if (types.isProxy(value))
      throw new PackError(`${path} is a Proxy, which cannot be looked into`);
    const simple = this.#simpleObject(value);
    if (simple !== undefined) {
      this.#statements.push(`${at} = ${simple};`);
      return;
    }
    if (value instanceof Map || value instanceof Set) {
      this.#statements.push(`${at} = new ${value instanceof Map ? 'Map' : 'Set'}();`);
      for (const [key, item] of value.entries()) {
        const args = [key, ...(value instanceof Map ? [item] : [])];
        const packed = args.map((one) => this.pack(one, `${path} → an entry`)).join(', ');
        this.#filled.push(`${at}.${value instanceof Map ? 'set' : 'add'}(${packed});`);
      }
      return;
    }
    const prototype = Object.getPrototypeOf(value);
    if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
      const kind = value.constructor?.name || 'something';
      throw new PackError(
        `${path} is an instance of ${kind}, which lives in this program: use plain data, or make it inside of the function`,
      );
    }
    this.#statements.push(
      `${at} = ${Array.isArray(value) ? '[]' : prototype === null ? 'Object.create(null)' : '{}'};`,
    );
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      if (!property.enumerable) continue;
      const name = `${path} → ${key}`;
      if (property.get !== undefined)
        throw new PackError(`${name} is computed when it is read: use plain data`);
      const item = this.pack(property.value, name);
      this.#filled.push(
        `Object.defineProperty(${at}, ${JSON.stringify(key)}, { value: ${item}, writable: true, enumerable: true, configurable: true });`,
      );
    }
  }

  #simpleObject(value: object): string | undefined {
    if (value instanceof Date) return `new Date(${value.getTime()})`;
    if (value instanceof RegExp)
      return `new RegExp(${JSON.stringify(value.source)}, ${JSON.stringify(value.flags)})`;
    if (value instanceof URL) return `new URL(${JSON.stringify(value.href)})`;
    if (value instanceof Uint8Array) {
      const bytes = `Buffer.from(${JSON.stringify(Buffer.from(value).toString('base64'))}, 'base64')`;
      return Buffer.isBuffer(value) ? bytes : `new Uint8Array(${bytes})`;
    }
    return undefined;
  }
}
