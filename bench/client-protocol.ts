import { type ChildProcess, fork } from 'node:child_process';

export type Task = 'requests' | 'watch' | 'list';

/** What a contender is told to do: so many requests, watch events, or whole lists. */
export interface Order {
  readonly task: Task;
  readonly count: number;
}

export interface Outcome {
  /** How many objects or answers came of it. */
  readonly done: number;
  readonly seconds: number;
  /** What the contender's process alone took. */
  readonly cpuSeconds: number;
}

/** Where the server is, as it tells when it is up. */
export interface Address {
  readonly server: string;
  readonly ca: string;
}

export const LISTED_PODS = 2000;

/** A process of its own: neither another's heap nor its work is counted. */
export class Child<Question extends object, Answer> implements Disposable {
  readonly #process: ChildProcess;
  readonly #failed: Promise<never>;

  constructor(file: string, ...args: readonly string[]) {
    this.#process = fork(new URL(file, import.meta.url), [...args]);
    this.#failed = new Promise((_, reject) => {
      this.#process.once('exit', (code) => {
        reject(new Error(`${file} ended with ${code} in the middle of the benchmark`));
      });
    });
  }

  /** The next thing that the process says. */
  async answer(): Promise<Answer> {
    const said = new Promise<Answer>((resolve) => {
      this.#process.once('message', (message) => resolve(message as Answer));
    });
    return Promise.race([said, this.#failed]);
  }

  ask(question: Question): Promise<Answer> {
    this.#process.send(question);
    return this.answer();
  }

  [Symbol.dispose](): void {
    this.#process.removeAllListeners().kill();
  }
}
