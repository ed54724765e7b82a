import { statfsSync } from 'node:fs';
import type { Journal } from './journal.ts';

/** Least free space: with less, the next write may fail. */
const LEAST_FREE_BYTES = 2 ** 20;

/** Health of a store, from its last flush and the free space on its disk. */
export class FlushHealth {
  readonly #folder: string;
  readonly #onFailure: (error: unknown) => void;
  #hasFailed = false;

  /** @param onFailure Told of the first flush that fails after one that did not. */
  constructor(folder: string, onFailure: (error: unknown) => void) {
    this.#folder = folder;
    this.#onFailure = onFailure;
  }

  /** True if the last flush failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The present problem; undefined if there is none. */
  problem(): string | undefined {
    const { bavail, bsize } = statfsSync(this.#folder);
    if (bavail * bsize < LEAST_FREE_BYTES) return 'the disk of the store is full: make room on it';
    return this.#hasFailed ? 'the last write to the disk of the store failed' : undefined;
  }

  /** The same journal, with its flushes observed. */
  watching(journal: Journal): Journal {
    return {
      load: () => journal.load(),
      commit: async (batch) => {
        try {
          await journal.commit(batch);
          this.#hasFailed = false;
        } catch (error) {
          const isChange = !this.#hasFailed;
          this.#hasFailed = true;
          if (isChange) this.#onFailure(error);
          throw error;
        }
      },
      [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
    };
  }
}
