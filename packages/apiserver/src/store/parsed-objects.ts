import { Deque } from './deque.ts';

/** An entry whose cache can be evicted, because it can be rebuilt. */
export interface Forgetful {
  /** Buffer whose length stands for the memory of the entry. */
  readonly bytes: { readonly length: number };
  forget(): void;
}

/** A cache with a size limit; the oldest entries are evicted first. */
export class ParsedObjects {
  readonly #mostBytes: number;
  readonly #queue = new Deque<Forgetful>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(entry: Forgetful): void {
    this.#queue.push(entry);
    this.#bytes += entry.bytes.length;
    while (this.#bytes > this.#mostBytes) {
      const oldest = this.#queue.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes.length;
      oldest.forget();
    }
  }
}
