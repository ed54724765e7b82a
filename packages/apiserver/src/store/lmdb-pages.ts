/** Reads a page of a file; undefined when the file ends before it does. */
export type ReadPage = (page: bigint) => Buffer | undefined;

const NO_PAGE = 2n ** 64n - 1n;

const HEAD_BYTES = 24;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const BRANCH = 1;
const LEAF = 2;
const NODE_BYTES = 8;
const BIG_DATA = 1;
const SUB_DATA = 2;
/** Where the record of a tree says which page it begins with. */
const ROOT_AT = 40;

/** The offsets of the nodes of a page. */
const nodesOf = (page: Buffer): readonly number[] =>
  Array.from(
    { length: page.readUInt16LE(LOWER_AT) / 2 },
    (_, at) => page.readUInt16LE(HEAD_BYTES + 2 * at) + HEAD_BYTES,
  );

const childOf = (page: Buffer, node: number): bigint => BigInt(page.readUIntLE(node, 6));

/** The pages that a node of a leaf points to: a value that is kept elsewhere, or a tree of its own. */
const hasAllOf = (read: ReadPage, page: Buffer, node: number): boolean => {
  const bytes = page.readUInt32LE(node);
  const flags = page.readUInt16LE(node + 4);
  const data = node + NODE_BYTES + page.readUInt16LE(node + 6);
  if ((flags & SUB_DATA) !== 0) return hasWholeTree(read, page.readBigUInt64LE(data + ROOT_AT));
  if ((flags & BIG_DATA) === 0) return true;
  const further = Math.ceil((HEAD_BYTES + bytes) / page.length) - 1;
  return read(page.readBigUInt64LE(data) + BigInt(further)) !== undefined;
};

/** Whether every page of a tree in an LMDB file is there and is what it should be. */
export const hasWholeTree = (read: ReadPage, root: bigint): boolean => {
  if (root === NO_PAGE) return true;
  const page = read(root);
  if (page === undefined) return false;
  const flags = page.readUInt16LE(FLAGS_AT);
  if ((flags & (BRANCH | LEAF)) === 0) return false;
  return nodesOf(page).every((node) =>
    (flags & BRANCH) !== 0 ? hasWholeTree(read, childOf(page, node)) : hasAllOf(read, page, node),
  );
};
