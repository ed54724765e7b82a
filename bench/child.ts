import { type ChildProcess, fork } from 'node:child_process';

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
    const reply = new Promise<Answer>((resolve) => {
      this.#process.once('message', (message) => resolve(message as Answer));
    });
    return Promise.race([reply, this.#failed]);
  }

  ask(question: Question): Promise<Answer> {
    this.#process.send(question);
    return this.answer();
  }

  [Symbol.dispose](): void {
    this.#process.removeAllListeners().kill();
  }
}
