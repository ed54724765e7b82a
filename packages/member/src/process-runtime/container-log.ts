import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Clock } from '@perigee/kube/clock/clock';
import { formatMicroTime } from '@perigee/schema/values/time';
import { logFile } from './log-files.ts';

export type OutputStream = 'stdout' | 'stderr';

export interface ContainerLogOptions {
  readonly clock: Clock;
  readonly folder: string;
  /** Base of the file names. */
  readonly id: string;
  readonly limitBytes: number;
}

const LONGEST_LINE = 16_384;
const NEWLINE = 0x0a;
const PRIVATE_FILE = 0o600;

/**
 * The log of one container in the format of container runtimes: lines with time and stream. It has two files; when the
 * newer is full, the older is deleted.
 */
export class ContainerLog {
  readonly #options: ContainerLogOptions;
  readonly #begun: { readonly [stream in OutputStream]: Buffer[] } = { stdout: [], stderr: [] };
  #file: FileHandle | undefined;
  #number = 0;
  #size = 0;
  #turn: Promise<void> = Promise.resolve();
  #nextChange = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();
  #isEnded = false;

  constructor(options: ContainerLogOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Resolves after the last line was written. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Resolves when there is more to read, or the log has ended. */
  get nextChange(): Promise<void> {
    return this.#nextChange.promise;
  }

  /** Resolves when the chunk is written: awaiting it applies back-pressure. */
  append(stream: OutputStream, chunk: Buffer): Promise<void> {
    this.#turn = this.#turn.then(() => this.#write(this.#records(stream, chunk)));
    return this.#turn;
  }

  async end(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      await this.#write([...this.#rest('stdout'), ...this.#rest('stderr')]);
      await this.#file?.close();
      this.#isEnded = true;
      this.#notify();
      this.#end.resolve();
    });
    return this.#turn;
  }

  #notify(): void {
    this.#nextChange.resolve();
    this.#nextChange = Promise.withResolvers();
  }

  #record(stream: OutputStream, tag: 'F' | 'P', parts: readonly Buffer[]): Buffer {
    const head = `${formatMicroTime(this.#options.clock.now())} ${stream} ${tag} `;
    return Buffer.concat([Buffer.from(head), ...parts, Buffer.of(NEWLINE)]);
  }

  #rest(stream: OutputStream): readonly Buffer[] {
    const lineParts = this.#begun[stream].splice(0);
    return lineParts.length === 0 ? [] : [this.#record(stream, 'P', lineParts)];
  }

  #records(stream: OutputStream, chunk: Buffer): readonly Buffer[] {
    const lineParts = this.#begun[stream];
    const records: Buffer[] = [];
    let at = 0;
    let length = lineParts.reduce((sum, part) => sum + part.length, 0);
    while (at < chunk.length) {
      const end = chunk.indexOf(NEWLINE, at);
      const room = at + LONGEST_LINE - length;
      const isWhole = end >= 0 && end <= room;
      const to = isWhole ? end : Math.min(chunk.length, room);
      lineParts.push(chunk.subarray(at, to));
      length += to - at;
      at = isWhole ? to + 1 : to;
      if (!isWhole && length < LONGEST_LINE) break;
      records.push(this.#record(stream, isWhole ? 'F' : 'P', lineParts.splice(0)));
      length = 0;
    }
    return records;
  }

  async #write(records: readonly Buffer[]): Promise<void> {
    if (records.length === 0) return;
    const bytes = Buffer.concat(records);
    const half = this.#options.limitBytes / 2;
    if (this.#file === undefined || (this.#size > 0 && this.#size + bytes.length > half)) {
      await this.#next();
    }
    await this.#file?.appendFile(bytes);
    this.#size += bytes.length;
    this.#notify();
  }

  async #next(): Promise<void> {
    const { folder, id } = this.#options;
    await this.#file?.close();
    this.#number += 1;
    this.#size = 0;
    this.#file = await open(logFile(folder, id, this.#number), 'a', PRIVATE_FILE);
    await rm(logFile(folder, id, this.#number - 2), { force: true });
  }
}
