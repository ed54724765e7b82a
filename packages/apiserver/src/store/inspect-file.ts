import { freePages } from './free-pages.ts';
import type { StoredRecord } from './journal.ts';
import {
  type Commit,
  LmdbFile,
  TREE_RECORD_BYTES,
  type TreeRecord,
  treeRecordAt,
} from './lmdb-file.ts';
import { type LeafNode, walkTree } from './lmdb-pages.ts';
import {
  FORMAT_KEY,
  type Format,
  isSound,
  NEWEST,
  nameIn,
  RECORDS,
  REVISION_KEY,
  readHead,
  readNumber,
  recordKeyIn,
} from './record-format.ts';

/** Something in a file that is not as it was written. */
export interface Damage {
  readonly problem: string;
  /** Table of the damaged record, if it can be read. */
  readonly table?: string;
  readonly key?: string;
}

/** Content of a file, as far as it can be read. */
export interface Inspection {
  readonly format: Format;
  /** The last issued revision, as far as it can be read. */
  readonly revision: number;
  readonly damages: readonly Damage[];
  /** Number of records that the file counts and that cannot be found. */
  readonly missing: number;
}

/** Called with each undamaged record. Its bytes are overwritten by those of the next. */
type OnRecord = (record: StoredRecord) => void;

/** Everything that one commit of a file refers to. */
class CommitInspection {
  readonly damages: Damage[] = [];
  readonly #file: LmdbFile;
  readonly #commit: Commit;
  readonly #onRecord: OnRecord;
  readonly #usedPages: Uint8Array;
  readonly #trees = new Map<string, TreeRecord>();
  readonly #numbers = new Map<string, number>();
  #recordCount = 0;
  #newest = 0;

  constructor(file: LmdbFile, commit: Commit, onRecord: OnRecord) {
    this.#file = file;
    this.#commit = commit;
    this.#onRecord = onRecord;
    // A last page that cannot be would take all memory.
    const pages = Math.min(commit.lastPage + 1, Math.ceil(file.size / file.pageSize) + 1);
    this.#usedPages = new Uint8Array(pages);
  }

  run(): Inspection {
    const { free, main } = this.#commit;
    const lists: Buffer[] = [];
    this.#walk(free, ({ value }) => void lists.push(Buffer.from(value)), true);
    this.#walk(main, (node) => this.#onName(node));
    const format = this.#numbers.get(FORMAT_KEY) ?? 1;
    if (format !== 1 && format !== NEWEST) this.#report(`it says that it is in format ${format}`);
    const knownFormat: Format = format === 1 ? 1 : NEWEST;
    const records = this.#trees.get(RECORDS[knownFormat]);
    if (records !== undefined) this.#walk(records, (node) => this.#onRecordNode(node, knownFormat));
    else if (this.#numbers.has(REVISION_KEY)) this.#report('it has lost the list of its records');
    for (const list of lists) this.#checkFree(list);
    const revision = Math.max(this.#numbers.get(REVISION_KEY) ?? 0, this.#newest);
    const missingRecords = Math.max(0, (records?.entries ?? 0) - this.#recordCount);
    return { format: knownFormat, revision, damages: this.damages, missing: missingRecords };
  }

  #report(problem: string): void {
    if (this.damages.every((damage) => damage.problem !== problem)) this.damages.push({ problem });
  }

  #walk(tree: TreeRecord, onNode: (node: LeafNode) => void, hasNumbers = false): void {
    if (!tree.isPlain && !hasNumbers)
      this.#report('it refers to a tree of a kind that is not used');
    const visit = {
      file: this.#file,
      lastPage: this.#commit.lastPage,
      used: this.#usedPages,
      hasNumbers,
      onNode,
      onProblem: (problem: string) => this.#report(problem),
    };
    walkTree(visit, tree);
  }

  #onName({ key, isTree, value }: LeafNode): void {
    const name = nameIn(key);
    if (name === undefined) {
      this.#report('a name in it cannot be read');
      return;
    }
    if (isTree && value.length === TREE_RECORD_BYTES) {
      this.#trees.set(name, treeRecordAt(value, 0));
      return;
    }
    const number = readNumber(name, value);
    if (number === undefined) this.#report(`its ${name} does not match its checksum`);
    else this.#numbers.set(name, number);
  }

  #onRecordNode({ key, value }: LeafNode, format: Format): void {
    this.#recordCount++;
    const recordKey = recordKeyIn(key);
    if (recordKey === undefined) {
      this.#report('the key of a record cannot be read');
      return;
    }
    const [table, name] = recordKey;
    if (!isSound(recordKey, value, format)) {
      const problem = format === 1 ? 'is no JSON' : 'does not match its checksum';
      this.damages.push({ problem, table, key: name });
      return;
    }
    const { revision, start } = readHead(value, format);
    this.#newest = Math.max(this.#newest, revision);
    this.#onRecord({ table, key: name, revision, bytes: value.subarray(start) });
  }

  /** LMDB would write over what is in use if it took it for free. */
  #checkFree(list: Buffer): void {
    const { lastPage } = this.#commit;
    for (const page of freePages(list)) {
      if (page >= 2 && page <= lastPage && this.#usedPages[page] !== 1) continue;
      this.#report('its list of free pages names one that is not free');
      return;
    }
  }
}

const inspectCommit = (file: LmdbFile, commit: Commit, onRecord: OnRecord): Inspection =>
  new CommitInspection(file, commit, onRecord).run();

/** Each commit replaces the older of two records, so that one follows on the other. */
const problemOfCommits = ([newest, older]: readonly Commit[]): string | undefined => {
  if (newest === undefined) return 'it is no file of a store';
  if (older === undefined) return 'the record of its last commits is torn';
  const isFollowed = newest.transaction === older.transaction + 1;
  return isFollowed || newest.transaction === 0
    ? undefined
    : 'the records of its last commits contradict each other';
};

/** Checks everything in a file of a store. */
export const inspectFile = (path: string, onRecord: OnRecord = () => {}): Inspection => {
  using file = new LmdbFile(path);
  const problem = problemOfCommits(file.commits);
  const [newest] = file.commits;
  const damages = problem === undefined ? [] : [{ problem }];
  if (newest === undefined) return { format: NEWEST, revision: 0, damages, missing: 0 };
  const inspection = inspectCommit(file, newest, onRecord);
  return { ...inspection, damages: [...damages, ...inspection.damages] };
};

/** Records that can be saved from a file. */
export interface Salvage extends Inspection {
  readonly records: readonly StoredRecord[];
  /** True if the last commit is lost, and the one before it is what is left. */
  readonly goesBack: boolean;
}

/** Reads what can be read, from that of the last two commits of which there is more. */
export const salvageFile = (path: string): Salvage => {
  using file = new LmdbFile(path);
  const problem = problemOfCommits(file.commits);
  const torn = problem === undefined ? [] : [{ problem }];
  const none = { format: NEWEST, revision: 0, damages: torn, missing: 0, records: [] };
  const salvages = file.commits.map((commit) => {
    const records: StoredRecord[] = [];
    const { damages, ...rest } = inspectCommit(file, commit, (record) => {
      records.push({ ...record, bytes: Buffer.from(record.bytes) });
    });
    return { ...rest, damages: [...torn, ...damages], records };
  });
  const [newest = none, older = none] = salvages;
  if (newest.damages.length === 0) return { ...newest, goesBack: false };
  const goesBack = older.records.length > newest.records.length;
  const isTornAway = file.commits.length === 1 && torn.length > 0;
  return { ...(goesBack ? older : newest), goesBack: goesBack || isTornAway };
};
