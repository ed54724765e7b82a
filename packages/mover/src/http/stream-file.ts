import type { ReadableFile, RecordedDigest } from '../ends/source.ts';
import { EndpointError } from '../errors.ts';
import type { Stretch } from '../jobs/transfer.ts';
import type { Answer } from './answer.ts';
import { type RetryOptions, withRetries } from './with-retries.ts';

/** Source of a stretch of a file on a server. */
export interface StreamedFile {
  /** One attempt to get the bytes from one place to another. It must be the same file each time. */
  readonly open: (from: number, to: number) => Promise<Answer>;
  readonly version: string;
  /** Sees all bytes, in order. */
  readonly onBytes?: (bytes: Buffer) => void;
  readonly recorded?: () => RecordedDigest | undefined;
}

/** A stretch of a file of a server: a stream that goes on after a cut. */
export class StreamFile implements ReadableFile {
  readonly #file: StreamedFile;
  readonly #retries: RetryOptions;
  readonly #end: number;
  #answer: Answer | undefined;
  #at: number;

  constructor(file: StreamedFile, { offset, length }: Stretch, retries: RetryOptions) {
    this.#file = file;
    this.#retries = retries;
    this.#at = offset;
    this.#end = offset + length;
  }

  /** One attempt to get the next bytes. */
  async #attempt(into: Buffer): Promise<number> {
    try {
      this.#answer ??= await this.#file.open(this.#at, this.#end);
      const count = await this.#answer.read(into);
      if (count > 0) return count;
      throw new EndpointError('Unavailable', 'the answer was cut off');
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  async read(buffer: Buffer, position: number): Promise<number> {
    if (position !== this.#at) throw new Error('a stream is read from its beginning to its end');
    if (this.#at >= this.#end) return 0;
    const into = buffer.subarray(0, Math.min(buffer.length, this.#end - this.#at));
    // After as many cuts as are worth it.
    const count = await withRetries(() => this.#attempt(into), this.#retries);
    this.#file.onBytes?.(into.subarray(0, count));
    this.#at += count;
    return count;
  }

  version(): string {
    return this.#file.version;
  }

  recorded(): RecordedDigest | undefined {
    return this.#file.recorded?.();
  }

  #close(): void {
    this.#answer?.[Symbol.dispose]();
    this.#answer = undefined;
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
