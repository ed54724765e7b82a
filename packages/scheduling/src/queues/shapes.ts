import { type Amounts, textOfAmounts } from './amounts.ts';
import { type Demand, demandOf } from './demand.ts';
import type { Dimensions } from './dimensions.ts';
import type { QueueNode } from './queue-node.ts';
import type { Feasibility, WorkItem } from './work-item.ts';

/** Work that waits in a queue, and its position. */
export interface QueueEntry {
  readonly item: WorkItem;
  readonly shape: Shape;
  readonly node: QueueNode;
  /** `aside`: it can never fit, or its data is not settled, and it blocks nobody. */
  place: 'in-line' | 'aside' | 'nowhere';
  /** Deadline until which evicted room is reserved for it. */
  nominatedUntil?: number;
}

export type Refusal = Exclude<Feasibility, { kind: 'fits' }> & {
  /** The refusal is due to room reserved for other work, and ends with it. */
  readonly isForOthers: boolean;
};

/** State shared by all waiting work of one shape. */
export interface Shape {
  readonly id: string;
  readonly requests: Amounts;
  readonly slot: number;
  readonly items: Set<QueueEntry>;
  demand: Demand;
  /** True if the placement was tried, or is queued to be, to find out whether it can ever fit. */
  wasAsked: boolean;
  /** The last refusal while it holds; undefined if it fits or was not tried. */
  refusal: Refusal | undefined;
}

const SLOTS = 31;

/**
 * The shapes of the waiting work. Each maps to one of `SLOTS` slots, so that a set of shapes is a
 * bit mask and the search can skip subtrees whose shapes are all refused.
 */
export class Shapes {
  readonly #dimensions: Dimensions;
  readonly #shapes = new Map<string, Shape>();
  readonly #shapesIn = new Array<number>(SLOTS).fill(0);
  readonly #refusedIn = new Array<number>(SLOTS).fill(0);
  readonly #refusedForOthersIn = new Array<number>(SLOTS).fill(0);
  readonly #refusedShapes = new Set<Shape>();
  #openShapes = new Set<Shape>();

  constructor(dimensions: Dimensions) {
    this.#dimensions = dimensions;
  }

  get refusedShapes(): Iterable<Shape> {
    return this.#refusedShapes;
  }

  /** A bit mask of slots with shapes that may fit, with or without respect for reservations. */
  openSlots(isHeeding: boolean): number {
    let slots = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      const all = this.#shapesIn[slot] as number;
      const heedCount = isHeeding ? 0 : (this.#refusedForOthersIn[slot] as number);
      if (all + heedCount > (this.#refusedIn[slot] as number)) slots |= 1 << slot;
    }
    return slots;
  }

  enter({ shape: id, requests }: WorkItem): Shape {
    const full = `${id}\u0000${textOfAmounts(requests)}`;
    const presentShape = this.#shapes.get(full);
    if (presentShape !== undefined) return presentShape;
    const slot = this.#shapesIn.indexOf(Math.min(...this.#shapesIn));
    const demand = demandOf(requests, slot, this.#dimensions);
    const items = new Set<QueueEntry>();
    const shape: Shape = {
      id: full,
      requests,
      slot,
      items,
      demand,
      wasAsked: false,
      refusal: undefined,
    };
    this.#shapes.set(full, shape);
    this.#shapesIn[slot] = (this.#shapesIn[slot] as number) + 1;
    return shape;
  }

  leave(entry: QueueEntry): void {
    const { shape } = entry;
    shape.items.delete(entry);
    if (shape.items.size > 0) return;
    this.accept(shape);
    this.#openShapes.delete(shape);
    this.#shapes.delete(shape.id);
    this.#shapesIn[shape.slot] = (this.#shapesIn[shape.slot] as number) - 1;
  }

  /** Queues a placement attempt for the shape, once it has work with settled data. */
  askAbout(shape: Shape): void {
    shape.wasAsked = false;
    this.#openShapes.add(shape);
  }

  /** Returns one workload of each shape that waits for an attempt. */
  takeUnasked(): readonly QueueEntry[] {
    const examples: QueueEntry[] = [];
    for (const shape of this.#openShapes) {
      const example = shape.items.values().find(({ item }) => item.claimsSettled);
      if (example !== undefined) examples.push(example);
      shape.wasAsked = example !== undefined;
    }
    this.#openShapes.clear();
    return examples;
  }

  refuse(shape: Shape, refusal: Refusal): void {
    this.accept(shape);
    shape.refusal = refusal;
    this.#refusedShapes.add(shape);
    this.#countRefusal(shape.slot, refusal, 1);
  }

  accept(shape: Shape): void {
    const { refusal, slot } = shape;
    if (refusal === undefined) return;
    shape.refusal = undefined;
    this.#refusedShapes.delete(shape);
    this.#countRefusal(slot, refusal, -1);
  }

  #countRefusal(slot: number, { isForOthers }: Refusal, by: 1 | -1): void {
    this.#refusedIn[slot] = (this.#refusedIn[slot] as number) + by;
    if (!isForOthers) return;
    this.#refusedForOthersIn[slot] = (this.#refusedForOthersIn[slot] as number) + by;
  }

  /** Recomputes all demands after a dimension was added. */
  measureAgain(): void {
    for (const shape of this.#shapes.values()) {
      shape.demand = demandOf(shape.requests, shape.slot, this.#dimensions);
    }
  }
}
