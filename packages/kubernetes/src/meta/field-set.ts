/**
 * A set of field paths, in the form in which `fieldsV1` keeps it: a trie whose keys are path elements
 * (`f:name`, `k:{"name":"a"}`, `v:"x"`, `i:0`). A node with `.`, or with nothing in it, is a member of
 * the set; other nodes only lead to members. The root is no path: an empty root is the empty set.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const EMPTY_SET: FieldSet = Object.freeze({});

/** A path that is a member and has no members below. */
export const LEAF: FieldSet = Object.freeze({});

/** The element of a node that is a member itself and has members below. */
export const SELF = '.';

export const isEmptySet = (set: FieldSet): boolean => {
  for (const _ in set) return false;
  return true;
};

/** True if the path that leads to a node is a member itself. */
export const isMember = (node: FieldSet): boolean => SELF in node || isEmptySet(node);

/** The elements below a node. */
export const elementsOf = (node: FieldSet): string[] =>
  Object.keys(node).filter((element) => element !== SELF);

/** The children of a node, as a set of their own. */
export const below = (node: FieldSet): FieldSet => {
  if (!(SELF in node)) return node;
  const { [SELF]: _, ...rest } = node;
  return rest;
};

type MutableSet = { [element: string]: FieldSet };

/** The node for a path with these members below; undefined when it would be empty. */
export const nodeOf = (member: boolean, children: FieldSet): FieldSet | undefined => {
  if (isEmptySet(children)) return member ? LEAF : undefined;
  return member ? { [SELF]: LEAF, ...children } : children;
};

/** Adds a path to a set under construction. */
export const insertPath = (root: MutableSet, path: readonly string[]): void => {
  let parent = root;
  const last = path.length - 1;
  for (let depth = 0; depth <= last; depth++) {
    const element = path[depth] as string;
    const node = parent[element] as MutableSet | undefined;
    if (depth === last) {
      if (node === undefined) parent[element] = LEAF;
      else if (!isEmptySet(node)) node[SELF] = LEAF;
    } else if (node === undefined || node === LEAF) {
      const fresh: MutableSet = node === undefined ? {} : { [SELF]: LEAF };
      parent[element] = fresh;
      parent = fresh;
    } else parent = node;
  }
};

const unionNodes = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b) return a;
  if (isEmptySet(b)) return isMember(a) ? a : { [SELF]: LEAF, ...a };
  if (isEmptySet(a)) return isMember(b) ? b : { [SELF]: LEAF, ...b };
  return union(a, b);
};

/** Every path that is in either set. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  let result: MutableSet | undefined;
  for (const element in b) {
    const mine = a[element];
    const theirs = b[element] as FieldSet;
    const mergedNode = mine === undefined ? theirs : unionNodes(mine, theirs);
    if (mergedNode === mine) continue;
    result ??= { ...a };
    result[element] = mergedNode;
  }
  return result ?? a;
};

/** Every path that is in both sets. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b) return a;
  const result: MutableSet = {};
  for (const element in a) {
    const mine = a[element] as FieldSet;
    const theirs = b[element];
    if (theirs === undefined) continue;
    const member = isMember(mine) && isMember(theirs);
    const node = nodeOf(member, intersection(below(mine), below(theirs)));
    if (node !== undefined) result[element] = node;
  }
  return result;
};

const subtract = (
  a: FieldSet,
  b: FieldSet,
  less: (mine: FieldSet, theirs: FieldSet) => FieldSet | undefined,
): FieldSet => {
  let result: MutableSet | undefined;
  for (const element in b) {
    const mine = a[element];
    if (mine === undefined) continue;
    const remainder = less(mine, b[element] as FieldSet);
    if (remainder === mine) continue;
    result ??= { ...a };
    if (remainder === undefined) delete result[element];
    else result[element] = remainder;
  }
  return result ?? a;
};

/** The rest of a node without another; undefined if it is empty. */
const nodeLess = (mine: FieldSet, theirs: FieldSet): FieldSet | undefined => {
  if (isEmptySet(mine)) return isMember(theirs) ? undefined : mine;
  if (isEmptySet(theirs)) return nodeOf(false, below(mine));
  const remainder = difference(mine, theirs);
  if (remainder === mine) return mine;
  return nodeOf(SELF in remainder, below(remainder));
};

/** Every path of the first set that is not in the second; a path stays when only its parent is. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => subtract(a, b, nodeLess);

/** Every path of the first set that neither is in the second nor has a parent in it. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  subtract(a, b, (mine, theirs) => {
    if (isMember(theirs)) return undefined;
    const before = below(mine);
    const children = recursiveDifference(before, theirs);
    return children === before ? mine : nodeOf(isMember(mine), children);
  });

/** True if two sets have the same members. */
export const sameSet = (a: FieldSet, b: FieldSet): boolean => {
  if (a === b) return true;
  for (const element in a) {
    const theirs = b[element];
    if (theirs === undefined || !sameSet(a[element] as FieldSet, theirs)) return false;
  }
  for (const element in b) if (a[element] === undefined) return false;
  return true;
};
