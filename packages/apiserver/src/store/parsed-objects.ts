import { Deque } from './deque.ts';

/** Something that can do without what it keeps, because it can make it again. */
export interface Forgetful {
  /** Buffer whose length stands for the memory of the entry. */
  readonly bytes: { readonly length: number };
  forget(): void;
}

/** Lets the newest keep what they have, as long as that is not too much; the oldest forget first. */
export class ParsedObjects {
  readonly #mostBytes: number;
  readonly #keeping = new Deque<Forgetful>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(kept: Forgetful): void {
    this.#keeping.push(kept);
    this.#bytes += kept.bytes.length;
    while (this.#bytes > this.#mostBytes) {
      const oldest = this.#keeping.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes.length;
      oldest.forget();
    }
  }
}
