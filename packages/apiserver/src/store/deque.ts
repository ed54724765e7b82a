/** A queue that can also be read by position: new items at the end, the oldest taken from the front. */
export class Deque<T> {
  #items: (T | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#items[this.#first++] = undefined;
    if (this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  at(index: number): T | undefined {
    return this.#items[this.#first + index];
  }

  /** The items from the position on. */
  slice(from: number): T[] {
    return this.#items.slice(this.#first + from) as T[];
  }
}
