import type { SourceFolder } from '../ends/source.ts';
import type { TargetFolder } from '../ends/target.ts';

/** A folder that is being filled. It stays open until everything in it is there. */
export class FolderJob {
  readonly source: SourceFolder;
  readonly target: TargetFolder;
  readonly path: Buffer;
  /** 0 is the root of the tree. */
  readonly depth: number;
  /** We have just made it, so that nothing else is in it. */
  readonly isFresh: boolean;
  readonly #finish: (job: FolderJob) => void;
  #open = 1;

  constructor(
    about: Pick<FolderJob, 'source' | 'target' | 'path' | 'depth' | 'isFresh'>,
    finish: (job: FolderJob) => void,
  ) {
    this.source = about.source;
    this.target = about.target;
    this.path = about.path;
    this.depth = about.depth;
    this.isFresh = about.isFresh;
    this.#finish = finish;
  }

  /** Something of it is under way. */
  hold(): void {
    this.#open++;
  }

  /** Something of it is there. */
  release(): void {
    this.#open--;
    if (this.#open === 0) this.#finish(this);
  }

  pathOf(name: Buffer): Buffer {
    return this.path.length === 0 ? name : Buffer.concat([this.path, Buffer.from('/'), name]);
  }
}
