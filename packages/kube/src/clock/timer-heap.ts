/** A timer in the heap; `place` is its index there, or -1 when it is not in it. */
export interface HeapTimer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  place: number;
}

const firesBefore = (a: HeapTimer, b: HeapTimer): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

/** Timers by the moment at which they fire: adding and removing take logarithmic time. */
export class TimerHeap {
  readonly #timers: HeapTimer[] = [];

  get size(): number {
    return this.#timers.length;
  }

  get first(): HeapTimer | undefined {
    return this.#timers[0];
  }

  add(timer: HeapTimer): void {
    this.#raise(timer, this.#timers.length);
  }

  /** Takes the timer out; one that is not in the heap stays out. */
  remove(timer: HeapTimer): void {
    const { place } = timer;
    if (place < 0) return;
    timer.place = -1;
    const last = this.#timers.pop();
    if (last === undefined || last === timer) return;
    const parent = this.#timers[(place - 1) >> 1];
    if (place > 0 && parent !== undefined && firesBefore(last, parent)) this.#raise(last, place);
    else this.#lower(last, place);
  }

  #put(timer: HeapTimer, place: number): void {
    this.#timers[place] = timer;
    timer.place = place;
  }

  #raise(timer: HeapTimer, from: number): void {
    let place = from;
    while (place > 0) {
      const parentPlace = (place - 1) >> 1;
      const parent = this.#timers[parentPlace];
      if (parent === undefined || !firesBefore(timer, parent)) break;
      this.#put(parent, place);
      place = parentPlace;
    }
    this.#put(timer, place);
  }

  #lower(timer: HeapTimer, from: number): void {
    let place = from;
    for (;;) {
      const leftPlace = 2 * place + 1;
      const left = this.#timers[leftPlace];
      const right = this.#timers[leftPlace + 1];
      const child =
        left !== undefined && right !== undefined && firesBefore(right, left) ? right : left;
      if (child === undefined || !firesBefore(child, timer)) break;
      const childPlace = child.place;
      this.#put(child, place);
      place = childPlace;
    }
    this.#put(timer, place);
  }
}
