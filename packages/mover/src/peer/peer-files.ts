import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ReadableFile } from '../ends/source.ts';
import { EndpointError } from '../errors.ts';
import { type RetryOptions, withRetries } from '../http/with-retries.ts';
import { type FileFacts, fromWire } from '../jobs/job.ts';
import type { Stretch } from '../jobs/transfer.ts';
import type { SourceFiles } from '../jobs/worker-ends.ts';
import type { PeerPlace } from '../place.ts';
import { PeerClient } from './peer-client.ts';

/** A stretch of a file that another mover serves: it goes on after a cut, and is compared with what that one has read. */
class PeerFile implements ReadableFile {
  readonly #client: PeerClient;
  readonly #facts: FileFacts;
  readonly #hash: Hash = createHash('sha256');
  readonly #start: number;
  readonly #end: number;
  #response: IncomingMessage | undefined;
  #stream: AsyncIterator<Buffer> | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #at: number;

  constructor(client: PeerClient, facts: FileFacts, { offset, length }: Stretch) {
    this.#client = client;
    this.#facts = facts;
    this.#start = offset;
    this.#at = offset;
    this.#end = offset + length;
  }

  /** The next bytes, or nothing at the end. */
  #next(): Promise<Buffer | undefined> {
    const receivedTo = this.#at + this.#rest.length;
    return withRetries(async () => {
      try {
        this.#stream ??= await this.#open(receivedTo);
        const { done, value } = await this.#stream.next();
        if (done && receivedTo < this.#end) {
          throw new EndpointError('Unavailable', 'the answer was cut off');
        }
        return done ? undefined : value;
      } catch (error) {
        this.#close();
        throw error;
      }
    }, this.#client.retries);
  }

  async #open(from: number): Promise<AsyncIterator<Buffer>> {
    const { from: address, version } = this.#facts;
    const range = { hashFrom: this.#start, from, to: this.#end };
    this.#response = await this.#client.stretch(fromWire(address), version, range);
    return this.#response[Symbol.asyncIterator]();
  }

  async read(buffer: Buffer, position: number): Promise<number> {
    if (position !== this.#at) throw new Error('a stretch is read from its beginning to its end');
    if (this.#at >= this.#end) return 0;
    if (this.#rest.length === 0) this.#rest = (await this.#next()) ?? this.#rest;
    const bytes = this.#rest.subarray(0, Math.min(buffer.length, this.#end - this.#at));
    bytes.copy(buffer);
    this.#hash.update(bytes);
    this.#rest = this.#rest.subarray(bytes.length);
    this.#at += bytes.length;
    return bytes.length;
  }

  /** All was read: what came is what the other one has read, or the answer would have been cut. */
  async version(): Promise<string> {
    if (this.#start === this.#end) return this.#facts.version;
    if ((await this.#next()) !== undefined) {
      throw new EndpointError('Refused', 'the other mover sends more than the file has');
    }
    const digest = this.#response?.trailers['x-digest'];
    if (digest === this.#hash.copy().digest('hex')) return this.#facts.version;
    throw new EndpointError('Unavailable', 'what came is not what the other mover has read');
  }

  #close(): void {
    this.#response?.destroy();
    this.#stream = undefined;
    this.#response = undefined;
  }

  [Symbol.dispose](): void {
    // A response that was read to its end returns its connection to the pool by itself.
    if (this.#response?.complete !== true) this.#close();
  }
}

export const peerSourceFiles = (place: PeerPlace, retries: RetryOptions): SourceFiles => {
  const client = new PeerClient(place, retries);
  return {
    open: (facts, stretch) => new PeerFile(client, facts, stretch),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
};
