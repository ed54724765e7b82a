import { type LmdbFile, numberAt, type TreeRecord } from './lmdb-file.ts';

/** An entry of a leaf. Its bytes are overwritten by those of the next. */
export interface LeafNode {
  readonly key: Buffer;
  /** True if the value is the record of a nested tree. */
  readonly isTree: boolean;
  readonly value: Buffer;
}

export interface TreeVisit {
  readonly file: LmdbFile;
  readonly lastPage: number;
  /** Bitmap of the visited pages of all trees of a commit: no page belongs to two. */
  readonly used: Uint8Array;
  /** True if keys are numbers rather than bytes in their order. */
  readonly hasNumbers?: boolean;
  readonly onNode: (node: LeafNode) => void;
  /** Called with each problem; the visit continues after it. */
  readonly onProblem: (problem: string) => void;
}

const HEAD_BYTES = 24;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const UPPER_AT = 22;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const NODE_BYTES = 8;
const BIG_DATA = 1;
const SUB_DATA = 2;
/** A value that is kept elsewhere has a record in its place: its page, the transaction, how many pages. */
const ELSEWHERE_BYTES = 24;
const DEEPEST = 32;

const COUNTED = ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const;

const MISSING_END = 'its end is missing';

const pagesFor = (bytes: number, pageSize: number): number =>
  Math.ceil((HEAD_BYTES + bytes) / pageSize);

/** Offsets of the nodes in a page; undefined if they are out of bounds. */
const nodesOf = (page: Buffer): readonly number[] | undefined => {
  const lower = page.readUInt16LE(LOWER_AT);
  const upper = page.readUInt16LE(UPPER_AT);
  if (lower % 2 !== 0 || lower > upper || upper > page.length - HEAD_BYTES) return undefined;
  const nodes = Array.from(
    { length: lower / 2 },
    (_, at) => page.readUInt16LE(HEAD_BYTES + 2 * at) + HEAD_BYTES,
  );
  const isWithin = (node: number): boolean =>
    node >= upper + HEAD_BYTES &&
    node + NODE_BYTES <= page.length &&
    node + NODE_BYTES + page.readUInt16LE(node + 6) <= page.length;
  return nodes.every(isWithin) ? nodes : undefined;
};

const keyOf = (page: Buffer, node: number): Buffer =>
  page.subarray(node + NODE_BYTES, node + NODE_BYTES + page.readUInt16LE(node + 6));

/** Checks every page of a tree, and every entry in the order of the keys. */
class TreeWalk {
  readonly #visit: TreeVisit;
  readonly #tree: TreeRecord;
  readonly #counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
  #before: Buffer | undefined;
  readonly #buffers: Buffer[] = [];
  #large = Buffer.alloc(0);
  #hasProblem = false;

  constructor(visit: TreeVisit, tree: TreeRecord) {
    this.#visit = visit;
    this.#tree = tree;
  }

  run(): void {
    const { root, depth } = this.#tree;
    if (depth > DEEPEST) this.#report(`it refers to a tree of ${depth} levels, which cannot be`);
    else if (root !== undefined) this.#walk(root, depth);
    // After a read error the counts differ for that reason.
    if (this.#hasProblem) return;
    for (const name of COUNTED) {
      const [actualCount, recordedCount] = [this.#counts[name], this.#tree[name]];
      if (recordedCount !== actualCount)
        this.#report(`it has ${actualCount} ${name}, and tells of ${recordedCount}`);
    }
  }

  /** One for each level, since the pages above a leaf are still needed. */
  #buffer(slot: number): Buffer {
    this.#buffers[slot] ??= Buffer.allocUnsafeSlow(this.#visit.file.pageSize);
    return this.#buffers[slot];
  }

  #largeBuffer(pages: number): Buffer {
    const bytes = pages * this.#visit.file.pageSize;
    if (this.#large.length < bytes) this.#large = Buffer.allocUnsafeSlow(2 * bytes);
    return this.#large.subarray(0, bytes);
  }

  #report(problem: string): void {
    this.#hasProblem = true;
    this.#visit.onProblem(problem);
  }

  #walk(number: number, level: number): void {
    // The last key of a leaf is compared with the first of the next.
    const page = this.#buffer(level > 1 ? level + 1 : this.#counts.leafPages % 2);
    if (!this.#take(number, 1) || !this.#visit.file.read(page, number)) return;
    const nodes = nodesOf(page);
    const flags = level > 1 ? BRANCH : LEAF;
    if (numberAt(page, 0) !== number || page.readUInt16LE(FLAGS_AT) !== flags || !nodes) {
      this.#report(`page ${number} is not what it should be`);
      return;
    }
    if (flags === BRANCH) {
      this.#counts.branchPages++;
      for (const node of nodes) this.#walk(page.readUIntLE(node, 6), level - 1);
      return;
    }
    this.#counts.leafPages++;
    for (const node of nodes) this.#leaf(page, number, node);
  }

  #leaf(page: Buffer, number: number, node: number): void {
    const key = keyOf(page, node);
    const flags = page.readUInt16LE(node + 4);
    const value = this.#value(page, node, flags);
    this.#counts.entries++;
    if (value === undefined) {
      this.#report(`page ${number} holds an entry that cannot be read`);
      return;
    }
    if (!this.#isInOrder(key)) this.#report(`the keys of page ${number} are not in order`);
    this.#before = key;
    this.#visit.onNode({ key, isTree: (flags & SUB_DATA) !== 0, value });
  }

  #isInOrder(key: Buffer): boolean {
    if (this.#visit.hasNumbers) {
      if (key.length !== 8) return false;
      return this.#before === undefined || numberAt(this.#before, 0) < numberAt(key, 0);
    }
    return this.#before === undefined || Buffer.compare(this.#before, key) < 0;
  }

  #value(page: Buffer, node: number, flags: number): Buffer | undefined {
    const bytes = page.readUInt32LE(node);
    const at = node + NODE_BYTES + page.readUInt16LE(node + 6);
    if ((flags & ~(BIG_DATA | SUB_DATA)) !== 0) return undefined;
    if ((flags & BIG_DATA) === 0) {
      return at + bytes <= page.length ? page.subarray(at, at + bytes) : undefined;
    }
    if (at + ELSEWHERE_BYTES > page.length) return undefined;
    const first = numberAt(page, at);
    const count = numberAt(page, at + 16);
    // A value that got smaller within one transaction keeps its pages.
    if (count < pagesFor(bytes, page.length) || !this.#take(first, count)) return undefined;
    this.#counts.overflowPages += count;
    const pages = this.#largeBuffer(count);
    const isSound =
      this.#visit.file.read(pages, first) &&
      numberAt(pages, 0) === first &&
      pages.readUInt16LE(FLAGS_AT) === OVERFLOW &&
      pages.readUInt32LE(LOWER_AT) === count;
    return isSound ? pages.subarray(HEAD_BYTES, HEAD_BYTES + bytes) : undefined;
  }

  /** True if pages can be read and belong to nothing else. */
  #take(first: number, count: number): boolean {
    const { file, lastPage, used } = this.#visit;
    const end = first + count;
    if (first < 2 || end > lastPage + 1) {
      this.#report(`it refers to page ${first}, which cannot be`);
      return false;
    }
    if (end * file.pageSize > file.size) {
      this.#report(MISSING_END);
      return false;
    }
    const isTaken = used.subarray(first, end).includes(1);
    used.fill(1, first, end);
    if (isTaken) this.#report(`page ${first} belongs to two things`);
    return !isTaken;
  }
}

export const walkTree = (visit: TreeVisit, tree: TreeRecord): void =>
  new TreeWalk(visit, tree).run();
