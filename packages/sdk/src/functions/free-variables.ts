import type { AnyNode } from 'acorn';

/** The free variables of code, and its other ties to its surroundings. */
export interface FreeNames {
  readonly names: ReadonlySet<string>;
  /** Free variables that the code assigns to. */
  readonly assignedNames: ReadonlySet<string>;
  /** Expressions such as `this` that mean something else once the code is moved. */
  readonly surroundings: ReadonlySet<string>;
  /** Modules imported by a literal name. */
  readonly imports: ReadonlySet<string>;
}

/** Nodes are walked generically, by their fields. */
type Node = AnyNode & { readonly [field: string]: unknown };

class Scope {
  readonly declared = new Set<string>();
  readonly parent: Scope | undefined;
  readonly isFunction: boolean;

  constructor(parent: Scope | undefined, isFunction: boolean) {
    this.parent = parent;
    this.isFunction = isFunction;
  }

  /** The scope in which `var` declares. */
  get ofFunction(): Scope {
    return this.isFunction || this.parent === undefined ? this : this.parent.ofFunction;
  }

  knows(name: string): boolean {
    return this.declared.has(name) || (this.parent?.knows(name) ?? false);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );

/** The names that a pattern binds, such as `a` and `b` of `{ a, x: [b = c] }`. */
const boundBy = (pattern: Node | null): readonly string[] => {
  if (pattern === null) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'MemberExpression':
      return [];
    case 'Property':
      return boundBy(pattern.value as Node);
    case 'AssignmentPattern':
      return boundBy(pattern.left as Node);
    default:
      return childrenOf(pattern).flatMap(boundBy);
  }
};

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const BLOCKS = new Set([
  'BlockStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'CatchClause',
  'StaticBlock',
]);

/** Collects the uses of names. They are resolved at the end, as declarations may follow them. */
class Names {
  readonly #uses: { readonly name: string; readonly scope: Scope; readonly isWritten: boolean }[] =
    [];
  readonly #surroundings = new Set<string>();
  readonly #imports = new Set<string>();

  walk(node: Node, scope: Scope, hasThis: boolean): void {
    if (FUNCTIONS.has(node.type)) this.#walkFunction(node, scope, hasThis);
    else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      this.#walkClass(node, scope, hasThis);
    } else {
      const inner = BLOCKS.has(node.type) ? new Scope(scope, node.type === 'StaticBlock') : scope;
      this.#walkPlain(node, inner, hasThis || node.type === 'StaticBlock');
    }
  }

  result(): FreeNames {
    const free = this.#uses.filter(({ name, scope }) => !scope.knows(name));
    return {
      names: new Set(free.map(({ name }) => name)),
      assignedNames: new Set(free.filter(({ isWritten }) => isWritten).map(({ name }) => name)),
      surroundings: this.#surroundings,
      imports: this.#imports,
    };
  }

  #walkFunction(node: Node, scope: Scope, hasThis: boolean): void {
    const isArrow = node.type === 'ArrowFunctionExpression';
    const id = node.id as Node | null | undefined;
    if (node.type === 'FunctionDeclaration' && id)
      for (const name of boundBy(id)) scope.declared.add(name);
    const inner = new Scope(scope, true);
    if (node.type === 'FunctionExpression' && id)
      for (const name of boundBy(id)) inner.declared.add(name);
    const own = hasThis || !isArrow;
    if (!isArrow) inner.declared.add('arguments');
    for (const param of node.params as Node[]) {
      for (const name of boundBy(param)) inner.declared.add(name);
      this.#walkPattern(param, inner, own);
    }
    this.walk(node.body as Node, inner, own);
  }

  #walkClass(node: Node, scope: Scope, hasThis: boolean): void {
    const names = boundBy((node.id ?? null) as Node | null);
    if (node.type === 'ClassDeclaration') for (const name of names) scope.declared.add(name);
    const inner = new Scope(scope, false);
    for (const name of names) inner.declared.add(name);
    if (node.superClass) this.walk(node.superClass as Node, scope, hasThis);
    for (const member of (node.body as Node).body as Node[]) {
      if (member.computed) this.walk(member.key as Node, inner, hasThis);
      if (member.type === 'StaticBlock') this.walk(member, inner, true);
      else if (member.value) this.walk(member.value as Node, inner, true);
    }
  }

  /** A declaring pattern: its names are declarations, its defaults and computed keys are uses. */
  #walkPattern(pattern: Node, scope: Scope, hasThis: boolean): void {
    switch (pattern.type) {
      case 'Identifier':
        return;
      case 'AssignmentPattern':
        this.walk(pattern.right as Node, scope, hasThis);
        this.#walkPattern(pattern.left as Node, scope, hasThis);
        return;
      case 'Property':
        if (pattern.computed) this.walk(pattern.key as Node, scope, hasThis);
        this.#walkPattern(pattern.value as Node, scope, hasThis);
        return;
      default:
        for (const child of childrenOf(pattern)) this.#walkPattern(child, scope, hasThis);
    }
  }

  #walkPlain(node: Node, scope: Scope, hasThis: boolean): void {
    const walk = (child: unknown): void => {
      if (isNode(child)) this.walk(child, scope, hasThis);
    };
    switch (node.type) {
      case 'Identifier':
        this.#use(node.name, scope, false);
        return;
      case 'ThisExpression':
      case 'Super':
        if (!hasThis) this.#surroundings.add(node.type === 'Super' ? 'super' : 'this');
        return;
      case 'MetaProperty':
        if ((node.meta as Node & { name: string }).name === 'import')
          this.#surroundings.add('import.meta');
        return;
      case 'ImportExpression':
        if ((node.source as Node).type === 'Literal')
          this.#imports.add(String((node.source as Node).value));
        walk(node.source);
        return;
      case 'MemberExpression':
        walk(node.object);
        if (node.computed) walk(node.property);
        return;
      case 'Property':
      case 'PropertyDefinition':
      case 'MethodDefinition':
        if (node.computed) walk(node.key);
        walk(node.value);
        return;
      case 'LabeledStatement':
        walk(node.body);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
        return;
      case 'CatchClause':
        for (const name of boundBy((node.param ?? null) as Node | null)) scope.declared.add(name);
        if (node.param) this.#walkPattern(node.param as Node, scope, hasThis);
        walk(node.body);
        return;
      case 'VariableDeclaration': {
        const target = node.kind === 'var' ? scope.ofFunction : scope;
        for (const one of node.declarations as (Node & { id: Node; init: unknown })[]) {
          for (const name of boundBy(one.id)) target.declared.add(name);
          this.#walkPattern(one.id, scope, hasThis);
          walk(one.init);
        }
        return;
      }
      case 'AssignmentExpression':
        for (const name of boundBy(node.left as Node)) this.#use(name, scope, true);
        break;
      case 'UpdateExpression':
        for (const name of boundBy(node.argument as Node)) this.#use(name, scope, true);
        break;
      default:
    }
    for (const child of childrenOf(node)) walk(child);
  }

  #use(name: string, scope: Scope, isWritten: boolean): void {
    this.#uses.push({ name, scope, isWritten });
  }
}

/** The free variables of a function, or of an expression that returns one. */
export const freeNames = (expression: AnyNode): FreeNames => {
  const names = new Names();
  names.walk(expression as Node, new Scope(undefined, true), false);
  return names.result();
};
