import { type FileHandle, open, rename } from 'node:fs/promises';
import { ConfigError } from '@perigee/kube/errors';

export interface AuditFileOptions {
  readonly path: string;
  /** Size at which the file is rotated; 100 MiB by default. */
  readonly maxBytes?: number;
  /** Number of rotated files, `<path>.1` (the newest), `<path>.2` …; 5 by default. */
  readonly keep?: number;
  /** Limit of the write backlog; events beyond it are dropped. 16 MiB by default. */
  readonly maxWaitingBytes?: number;
}

const MIB = 2 ** 20;
const OWNER_ONLY = 0o600;

/**
 * A file of lines that only its owner can read. Writes never block, and lines beyond the backlog limit are dropped.
 */
export class AuditFile implements AsyncDisposable {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  readonly #maxWaiting: number;
  readonly #reportLost: (lines: number) => void;
  #handle: FileHandle;
  #bytes: number;
  #lines: string[] = [];
  #waitingBytes = 0;
  #work: Promise<void> | undefined;

  private constructor(
    options: AuditFileOptions,
    file: { handle: FileHandle; bytes: number },
    reportLost: (lines: number) => void,
  ) {
    this.#path = options.path;
    this.#maxBytes = options.maxBytes ?? 100 * MIB;
    this.#keep = options.keep ?? 5;
    this.#maxWaiting = options.maxWaitingBytes ?? 16 * MIB;
    this.#handle = file.handle;
    this.#bytes = file.bytes;
    this.#reportLost = reportLost;
  }

  /** Appends to the file if it exists. The callback gets the number of lines that were lost. */
  static async open(
    options: AuditFileOptions,
    reportLost: (lines: number) => void,
  ): Promise<AuditFile> {
    try {
      const handle = await openOwn(options.path);
      const { size } = await handle.stat();
      return new AuditFile(options, { handle, bytes: size }, reportLost);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ConfigError(`cannot write the audit log: ${why}`, { cause });
    }
  }

  /** Adds a line to the backlog. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#waitingBytes + bytes > this.#maxWaiting) return void this.#reportLost(1);
    this.#lines.push(line);
    this.#waitingBytes += bytes;
    this.#work ??= this.#writeAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work;
    await this.#handle.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      const bytes = this.#waitingBytes;
      this.#lines = [];
      try {
        await this.#handle.appendFile(`${lines.join('\n')}\n`);
        this.#bytes += bytes;
        if (this.#bytes >= this.#maxBytes) await this.#beginAnother();
      } catch {
        this.#reportLost(lines.length);
      }
      this.#waitingBytes -= bytes;
    }
    this.#work = undefined;
  }

  async #beginAnother(): Promise<void> {
    for (let at = this.#keep; at > 0; at -= 1) {
      const older = at === 1 ? this.#path : `${this.#path}.${at - 1}`;
      await rename(older, `${this.#path}.${at}`).catch(ignoreMissing);
    }
    const full = this.#handle;
    this.#handle = await openOwn(this.#path, this.#keep === 0 ? 'w' : 'a');
    this.#bytes = 0;
    await full.close();
  }
}

const openOwn = async (path: string, flags = 'a'): Promise<FileHandle> => {
  const handle = await open(path, flags, OWNER_ONLY);
  await handle.chmod(OWNER_ONLY);
  return handle;
};

const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
};
