import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessOptions } from '../../src/process-runtime/process-options.ts';
import type { ProcessExit, RunningProcess, SpawnOrder } from '../../src/processes/spawn.ts';

/** A process that does what a test says. */
export class FakeProcess implements RunningProcess {
  readonly pid: number;
  readonly order: SpawnOrder;
  readonly signals: string[] = [];
  readonly stderr: AsyncIterable<Buffer>;
  readonly stdout: AsyncIterable<Buffer>;
  readonly #exit = Promise.withResolvers<ProcessExit>();
  readonly #words: string[] = [];
  #endsWhenAsked = true;
  #isOver = false;

  constructor(pid: number, order: SpawnOrder) {
    this.pid = pid;
    this.order = order;
    this.stdout = this.#output();
    this.stderr = ReadableStream.from([]);
  }

  get exited(): Promise<ProcessExit> {
    return this.#exit.promise;
  }

  ignoreTerm(): void {
    this.#endsWhenAsked = false;
  }

  say(text: string): void {
    this.#words.push(text);
  }

  exit(exitCode: number): void {
    this.#end({ exitCode });
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isOver) return;
    this.signals.push(name);
    if (name === 'SIGKILL') this.#end({ exitCode: 137, signal: 9 });
    else if (this.#endsWhenAsked) this.#end({ exitCode: 143, signal: 15 });
  }

  closeOutput(): void {}

  #end(exit: ProcessExit): void {
    this.#isOver = true;
    this.#exit.resolve(exit);
  }

  async *#output(): AsyncGenerator<Buffer> {
    await this.exited;
    for (const text of this.#words) yield Buffer.from(text);
  }
}

/** Starts processes that exist in the test only. */
export class FakeProcesses implements Disposable {
  readonly started: FakeProcess[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'perigee-processes-'));
  /** Told of each process when it starts. */
  onStart: (started: FakeProcess) => void = () => {};
  /** A command starts once this has resolved. */
  beforeStart: (command: string) => Promise<void> | undefined = () => undefined;

  get options(): ProcessOptions {
    return {
      allow: true,
      folder: this.folder,
      path: '/bin',
      spawn: async (order) => {
        await this.beforeStart(order.command);
        // A number that no process can have.
        const started = new FakeProcess(2 ** 30 + this.started.length, order);
        this.started.push(started);
        this.onStart(started);
        return started;
      },
    };
  }

  /** Command lines of all processes, running and ended. */
  get lines(): readonly string[] {
    return this.started.map(({ order }) => [order.command, ...order.args].join(' '));
  }

  get last(): FakeProcess {
    const last = this.started.at(-1);
    if (last === undefined) throw new Error('nothing has been started');
    return last;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
