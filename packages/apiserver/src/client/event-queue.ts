/**
 * Passes portions of events to a reader that takes one at a time. `push` resolves when the reader wants more, so
 * that no backlog builds up here.
 */
export class EventQueue<T> implements AsyncIterator<T, void> {
  readonly #onReturn: () => void;
  #portion: readonly T[] = [];
  #at = 0;
  #extra: T[] = [];
  #ending: { readonly error?: unknown } | undefined;
  #reader: PromiseWithResolvers<IteratorResult<T, void>> | undefined;
  #notifyTaken: (() => void) | undefined;

  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(portion: readonly T[]): Promise<void> {
    if (this.#ending) return Promise.resolve();
    this.#portion = portion;
    this.#at = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#notifyTaken = resolve;
    this.#feed();
    return promise;
  }

  /** Adds one event after the present portion, without waiting. */
  add(item: T): void {
    if (this.#ending) return;
    this.#extra.push(item);
    this.#feed();
  }

  /** Ends the queue. Queued events still arrive, unless it ends with an error. */
  end(how: { readonly error?: unknown } = {}): void {
    if (this.#ending) return;
    this.#ending = how;
    if ('error' in how) {
      this.#portion = [];
      this.#extra = [];
    }
    this.#feed();
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#reader) return this.#reader.promise.then(() => this.next());
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#feed();
    return promise;
  }

  return(): Promise<IteratorResult<T, void>> {
    this.#portion = [];
    this.#extra = [];
    this.end();
    this.#onReturn();
    return Promise.resolve({ done: true, value: undefined });
  }

  #feed(): void {
    const hasPortion = this.#at < this.#portion.length;
    if (!hasPortion && this.#extra.length === 0 && (this.#ending || this.#reader)) this.#release();
    const reader = this.#reader;
    if (!reader) return;
    if (hasPortion || this.#extra.length > 0) {
      const value = hasPortion ? this.#portion[this.#at++] : this.#extra.shift();
      this.#reader = undefined;
      reader.resolve({ done: false, value: value as T });
    } else if (this.#ending) {
      this.#reader = undefined;
      if ('error' in this.#ending) reader.reject(this.#ending.error);
      else reader.resolve({ done: true, value: undefined });
    }
  }

  #release(): void {
    const notify = this.#notifyTaken;
    this.#notifyTaken = undefined;
    notify?.();
  }
}
