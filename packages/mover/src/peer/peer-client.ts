import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Entry } from '../ends/entry.ts';
import { EndpointError } from '../errors.ts';
import { HttpClient } from '../http/http-client.ts';
import { readBody } from '../http/http-connection.ts';
import { type RetryOptions, withRetries } from '../http/with-retries.ts';
import type { PeerPlace } from '../place.ts';
import { decodeEntry, encodePath } from './wire-entry.ts';

const LONGEST_ENTRY = 64 * 1024;
/** The other mover may be about to be started again. */
const ATTEMPTS = 12;

/** Client of a mover that serves a tree, for the mover that copies it. */
export class PeerClient implements Disposable {
  readonly #http: HttpClient;
  readonly #retries: RetryOptions;
  readonly #base: string;

  constructor({ url, tokenFile, pinnedCertificate }: PeerPlace, retries: RetryOptions) {
    this.#retries = { ...retries, attempts: ATTEMPTS };
    this.#base = url;
    this.#http = new HttpClient(
      { kind: 'http', url, tokenFile, caFile: undefined, pinnedCertificate },
      this.#retries,
    );
  }

  get retries(): RetryOptions {
    return this.#retries;
  }

  #url(what: string, path: Buffer): URL {
    return new URL(`${this.#base}/${what}?path=${encodePath(path)}`);
  }

  async #send(...request: Parameters<HttpClient['send']>) {
    try {
      return await this.#http.send(...request);
    } catch (error) {
      if (!(error instanceof EndpointError) || error.serverCode !== '401') throw error;
      // The server may follow another one, and take other tokens.
      throw new EndpointError('Stale', `${error.message}: this token is not good any more`);
    }
  }

  entry(path: Buffer): Promise<Entry | undefined> {
    return withRetries(async () => {
      try {
        const { response } = await this.#send(this.#url('entry', path), 'GET');
        return decodeEntry((await readBody(response, LONGEST_ENTRY)).toString());
      } catch (error) {
        if (error instanceof EndpointError && error.problem === 'Missing') return undefined;
        throw error;
      }
    }, this.#retries);
  }

  /** One attempt to go through a folder, without the entries that an earlier one has got. */
  async #list(path: Buffer, skip: number): Promise<AsyncIterator<string>> {
    const { response } = await this.#send(this.#url('list', path), 'GET');
    const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY });
    response.on('error', () => lines.close());
    const each = lines[Symbol.asyncIterator]();
    for (let at = 0; at < skip; at++) await each.next();
    return each;
  }

  /** The entries of a folder as they come. After a cut it goes on where it was: the order is that of the folder. */
  async *entries(path: Buffer): AsyncGenerator<Entry> {
    let count = 0;
    let lines: AsyncIterator<string> | undefined;
    for (;;) {
      const line = await withRetries(async () => {
        try {
          lines ??= await this.#list(path, count);
          const { done, value } = await lines.next();
          if (!done) return value;
          throw new EndpointError('Unavailable', 'the list of a folder was cut off');
        } catch (error) {
          lines = undefined;
          throw error;
        }
      }, this.#retries);
      // The last line is marked as such.
      if (line === '') return;
      count++;
      yield decodeEntry(line);
    }
  }

  /** One attempt to get a stretch; what is hashed begins at `hashFrom`. */
  async stretch(
    path: Buffer,
    version: string,
    { hashFrom, from, to }: { hashFrom: number; from: number; to: number },
  ): Promise<IncomingMessage> {
    const { response } = await this.#send(this.#url('file', path), 'GET', {
      range: `bytes=${from}-${to - 1}`,
      'if-match': JSON.stringify(version),
      'x-hash-from': String(hashFrom),
    });
    return response;
  }

  /** Reports that everything was copied: the other one need not serve it any longer. */
  async finish(): Promise<void> {
    const { response } = await this.#send(new URL(this.#base), 'DELETE');
    response.resume();
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }
}
