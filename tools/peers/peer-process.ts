import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

const LAST_LINES = 8;
const STOP_MS = 10_000;

/** A program that runs until it is disposed, or until this process ends. What it says goes to a file. */
export class PeerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  /** Rejects when the program ends before it was told to. */
  readonly failed: Promise<never>;
  readonly #killWithParent = () => void this.#child.kill('SIGKILL');

  /** The number of the process; nothing when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  constructor(program: string, args: readonly string[], logFile: string) {
    const log = openSync(logFile, 'w');
    this.#child = spawn(program, [...args], { stdio: ['ignore', log, log] });
    closeSync(log);
    process.once('exit', this.#killWithParent);
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve());
    });
    this.failed = new Promise((_, reject) => {
      this.#child.once('error', (cause) => {
        reject(new Error(`cannot start ${program}: ${cause.message}`, { cause }));
      });
      this.#child.once('exit', (code) => {
        const said = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
        reject(new Error(`${program} ended with ${code}:\n${said.join('\n')}`));
      });
    });
    this.failed.catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#killWithParent);
    this.#child.kill('SIGTERM');
    const impatience = setTimeout(this.#killWithParent, STOP_MS);
    await this.#ended;
    clearTimeout(impatience);
  }
}
