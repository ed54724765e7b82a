import type { IncomingMessage } from 'node:http';
import type { Stretch } from '../copy/transfer.ts';
import type { ReadableFile, RecordedDigest } from '../ends/source.ts';
import { EndpointError } from './endpoint-error.ts';
import { type RetryOptions, withRetries } from './with-retries.ts';

/** How a stretch of a file comes from a server. */
export interface StreamedFile {
  /** One attempt to get the bytes from one place to another. It must be the same file each time. */
  readonly open: (from: number, to: number) => Promise<IncomingMessage>;
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
  #response: IncomingMessage | undefined;
  #stream: AsyncIterator<Buffer> | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #at: number;

  constructor(file: StreamedFile, { offset, length }: Stretch, retries: RetryOptions) {
    this.#file = file;
    this.#retries = retries;
    this.#at = offset;
    this.#end = offset + length;
  }

  async #open(): Promise<AsyncIterator<Buffer>> {
    this.#response = await this.#file.open(this.#at, this.#end);
    return this.#response[Symbol.asyncIterator]();
  }

  /** The next bytes, after as many cuts as are worth it. */
  #next(): Promise<Buffer> {
    return withRetries(async () => {
      try {
        this.#stream ??= await this.#open();
        const { done, value } = await this.#stream.next();
        if (!done) return value;
        throw new EndpointError('Unavailable', 'the answer was cut off');
      } catch (error) {
        this.#close();
        throw error;
      }
    }, this.#retries);
  }

  async read(buffer: Buffer, position: number): Promise<number> {
    if (position !== this.#at) throw new Error('a stream is read from its beginning to its end');
    if (this.#at >= this.#end) return 0;
    if (this.#rest.length === 0) this.#rest = await this.#next();
    const taken = this.#rest.subarray(0, Math.min(buffer.length, this.#end - this.#at));
    taken.copy(buffer);
    this.#file.onBytes?.(taken);
    this.#rest = this.#rest.subarray(taken.length);
    this.#at += taken.length;
    return taken.length;
  }

  version(): string {
    return this.#file.version;
  }

  recorded(): RecordedDigest | undefined {
    return this.#file.recorded?.();
  }

  #close(): void {
    // What was read to its end goes back to the pool of connections by itself.
    if (this.#at < this.#end) this.#response?.destroy();
    else this.#response?.resume();
    this.#stream = undefined;
    this.#response = undefined;
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
