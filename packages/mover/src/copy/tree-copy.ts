import type { MoverClock } from '../clock.ts';
import { TreeDigest } from '../digest/tree-digest.ts';
import { textOfPath } from '../ends/entry.ts';
import { PIECE_BYTES } from '../ends/pieces.ts';
import type { Source } from '../ends/source.ts';
import type { Target, TargetTree } from '../ends/target.ts';
import { MoveError, moveErrorOf, touching } from '../errors.ts';
import type { DamageReason } from '../jobs/assert-unchanged.ts';
import type { Counters } from '../jobs/counters.ts';
import type { Doing } from '../jobs/job.ts';
import { type Decision, decideEntry, isWorkshop, type Rules } from '../plan/decide-entry.ts';
import { assertNotTooDeep } from '../plan/depth.ts';
import { FolderJob } from './folder-job.ts';
import { submitLargeFile } from './large-file.ts';
import type { Pool } from './pool.ts';
import { type Item, SmallFiles } from './small-files.ts';

const TURN = 256;

export interface TreeCopyOptions {
  readonly source: Source;
  readonly target: Target;
  readonly tree: TargetTree;
  readonly rules: Rules;
  readonly flush: boolean;
  readonly damageReason: DamageReason;
  readonly pool: Pool;
  readonly counters: Counters;
  readonly failure: AbortController;
  readonly clock: Pick<MoverClock, 'yield'>;
}

/** Counts of a copy. */
export interface CopyCounts {
  files: number;
  bytes: number;
  folders: number;
  links: number;
  skipped: number;
  copiedFiles: number;
  deleted: number;
}

/** One run through the source, which makes the target like it. */
export class TreeCopy implements Disposable {
  readonly counts: CopyCounts = {
    files: 0,
    bytes: 0,
    folders: 0,
    links: 0,
    skipped: 0,
    copiedFiles: 0,
    deleted: 0,
  };
  /** Of links and large files; small files are in the digests of the workers. */
  readonly digest = new TreeDigest();
  readonly #options: TreeCopyOptions;
  readonly #open = new Set<FolderJob>();
  readonly #smallFiles: SmallFiles;
  #entryCount = 0;

  constructor(options: TreeCopyOptions) {
    this.#options = options;
    this.#smallFiles = new SmallFiles(options.pool, (copied) => {
      this.counts.copiedFiles += copied;
    });
  }

  async run(): Promise<void> {
    const { source, tree, failure } = this.#options;
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(failure.signal.reason);
    failure.signal.addEventListener('abort', onAbort, { once: true });
    const { promise: finished, resolve } = Promise.withResolvers<void>();
    const holder = { source: source.parent, target: tree.parent, path: Buffer.alloc(0) };
    const root = new FolderJob({ ...holder, depth: -1, isFresh: false }, () => resolve());
    const walk = async (): Promise<void> => {
      await this.#take({ folder: root, entry: source.entry, name: tree.name, path: root.path });
      await this.#smallFiles.submit();
      root.release();
      await finished;
    };
    await Promise.race([walk(), failed]);
  }

  async #turn(): Promise<void> {
    if (++this.#entryCount % TURN === 0) await this.#options.clock.yield();
    this.#options.failure.signal.throwIfAborted();
  }

  #fail(error: unknown): void {
    const { failure } = this.#options;
    if (!failure.signal.aborted) failure.abort(error);
  }

  async #take(item: Item): Promise<void> {
    await this.#turn();
    const { folder, entry, name, path } = item;
    const text = () => textOfPath(path);
    const there = await touching('target', text, () => folder.target.lookup(name));
    const decision = decideEntry(entry, there, folder.depth, this.#options.rules);
    await this.#do(there === undefined ? item : { ...item, there: there.version }, decision);
  }

  async #do(item: Item, decision: Decision): Promise<void> {
    const { folder, entry, name, path } = item;
    const text = () => textOfPath(path);
    const { target } = folder;
    switch (decision.do) {
      case 'refuse':
        throw new MoveError(decision.reason, `source ${text()}: ${decision.message}`, text());
      case 'clear':
        await touching('target', text, () => target.remove(name));
        return this.#do(item, decision.next);
      case 'skip':
        this.counts.skipped++;
        return;
      case 'link': {
        const linkTo = entry.linkTo ?? Buffer.alloc(0);
        if (!decision.isThere) await touching('target', text, () => target.link(name, linkTo));
        this.digest.addLink(path, linkTo);
        this.counts.links++;
        return;
      }
      case 'enter':
        return this.#enter(item, decision.isThere);
      case 'check':
        if (decision.fixMode) {
          await touching('target', text, () => target.setMode(name, entry.mode));
        }
        return this.#file(item, this.#comparesContent() ? 'compare' : 'check');
      case 'copy':
        return this.#file(item, 'copy');
    }
  }

  #comparesContent(): boolean {
    const { compare, keeps } = this.#options.rules;
    return compare === 'content' || !keeps.times;
  }

  async #enter({ folder, entry, name, path }: Item, isThere: boolean): Promise<void> {
    const text = () => textOfPath(path);
    const depth = folder.depth + 1;
    assertNotTooDeep(depth, text());
    const source = await touching('source', text, () => folder.source.enter(entry.name));
    const target = await touching('target', text, () =>
      isThere ? folder.target.enter(name) : folder.target.make(name),
    );
    folder.hold();
    const about = { source, target, path, depth, isFresh: !isThere };
    const job = new FolderJob(about, () => {
      void this.#finish(job).then(
        () => folder.release(),
        (error) => this.#fail(moveErrorOf(error, 'target', text())),
      );
    });
    this.#open.add(job);
    this.counts.folders++;
    if (isThere) await touching('target', text, () => target.unlock());
    try {
      for await (const each of source.entries()) {
        await this.#take({
          folder: job,
          entry: each,
          name: each.name,
          path: job.pathOf(each.name),
        });
      }
    } catch (error) {
      throw moveErrorOf(error, 'source', text());
    }
    job.release();
  }

  /** Everything of the source is in the folder: takes out what else there is, if that was asked for. */
  async #finish(job: FolderJob): Promise<void> {
    const { rules, target, flush } = this.#options;
    const text = () => textOfPath(job.path);
    if (!(await touching('source', text, () => job.source.isUnchanged()))) {
      const message = `source ${text() || '.'}: entries of the folder changed while it was copied`;
      throw new MoveError('SourceChanged', message, text());
    }
    if (rules.mayReplace && !job.isFresh) {
      for await (const name of job.target.names()) {
        await this.#turn();
        if (isWorkshop(name) || (await job.source.has(name))) continue;
        await touching('target', text, () => job.target.remove(name));
        this.counts.deleted++;
      }
    }
    // The root of an existing tree keeps its mode and time.
    if (job.depth > 0 || target.isNew) await job.target.finish(job.source.entry, flush);
    this.#close(job);
  }

  async #file(item: Item, doing: Doing): Promise<void> {
    const { entry, folder } = item;
    this.counts.files++;
    this.counts.bytes += entry.size;
    folder.hold();
    if (entry.size > PIECE_BYTES) return this.#largeFile(item, doing);
    return this.#smallFiles.add(item, doing);
  }

  async #largeFile(item: Item, doing: Doing): Promise<void> {
    const { pool, target, flush, damageReason, counters } = this.#options;
    const how = { doing, flush, damageReason, counters };
    const { done } = await submitLargeFile(pool, target, item, how);
    const settle = async (): Promise<void> => {
      const { digest, copied } = await done;
      this.digest.addFile(item.path, item.entry.size, digest);
      if (copied) this.counts.copiedFiles++;
      counters.addFile();
      item.folder.release();
    };
    void settle().catch((error) => this.#fail(error));
  }

  #close(job: FolderJob): void {
    job.source[Symbol.dispose]();
    job.target[Symbol.dispose]();
    this.#open.delete(job);
  }

  /** Lets go of folders that a failure has left open. */
  [Symbol.dispose](): void {
    for (const job of this.#open) this.#close(job);
  }
}
