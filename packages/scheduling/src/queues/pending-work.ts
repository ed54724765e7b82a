import { KeptClusters } from './kept-clusters.ts';
import { KeptRoom } from './kept-room.ts';
import { impossibleBy } from './limits.ts';
import { OverdueHeads, type Patience } from './overdue.ts';
import type { QueueNode } from './queue-node.ts';
import type { QueueTree } from './queue-tree.ts';
import { type QueueEntry, type Refusal, type Shape, Shapes } from './shapes.ts';
import type { WorkItem } from './work-item.ts';

const TRIED_AGAIN_MS = 1000;

/** The waiting work, each in the line of its queue, and the reservations of overdue heads. */
export class PendingWork {
  readonly #tree: QueueTree;
  readonly #entries = new Map<string, QueueEntry>();
  readonly shapes: Shapes;
  readonly heads: OverdueHeads;
  readonly keptRoom = new KeptRoom();
  readonly keptClusters = new KeptClusters();
  /** Queues with failed placement attempts in the current window, and the start of that window. */
  readonly #inVain = new Set<QueueNode>();
  #inVainSince = 0;
  /** Work that evictions are under way for. */
  readonly nominees = new Set<QueueEntry>();

  constructor(tree: QueueTree, patience: Patience) {
    this.#tree = tree;
    this.shapes = new Shapes(tree.dimensions);
    this.heads = new OverdueHeads(patience);
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: string): QueueEntry | undefined {
    return this.#entries.get(key);
  }

  set(item: WorkItem): void {
    this.remove(item.key);
    const node = this.#tree.node(item.queue);
    const shape = this.shapes.enter(item);
    const entry: QueueEntry = { item, shape, node, place: 'nowhere' };
    this.#entries.set(item.key, entry);
    shape.items.add(entry);
    if (!shape.wasAsked) this.shapes.askAbout(shape);
    this.#enter(entry);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const { node } = entry;
    this.#leave(entry);
    this.#settle(node);
    this.shapes.leave(entry);
    this.#tree.forgetIfUnused(node);
  }

  refuse(shape: Shape, refusal: Refusal): void {
    this.shapes.refuse(shape, refusal);
    if (refusal.kind === 'never') this.#enterAll(shape.items);
  }

  /** Counts a placement attempt that found no room. */
  triedInVain(node: QueueNode): void {
    node.triedInVain += 1;
    this.#inVain.add(node);
    this.#tree.settle(node, 'work');
  }

  /** Re-evaluates refused shapes after the clusters changed. */
  askAgain(): void {
    for (const shape of [...this.shapes.refusedShapes]) {
      const wasNever = shape.refusal?.kind === 'never';
      this.shapes.accept(shape);
      if (!wasNever) continue;
      this.#enterAll(shape.items);
      this.shapes.askAbout(shape);
    }
  }

  roomFreed(clusters?: ReadonlySet<string>): void {
    for (const shape of [...this.shapes.refusedShapes]) {
      if (shape.refusal?.kind !== 'not-now') continue;
      if (clusters === undefined || shape.refusal.clusters.some((name) => clusters.has(name))) {
        this.shapes.accept(shape);
      }
    }
  }

  /** Advances the clock: heads become overdue or cease to be, and nominations expire. */
  advance(now: number): void {
    if (now >= this.#inVainSince + TRIED_AGAIN_MS) this.#tryAgain(now);
    for (const node of this.heads.advance(now)) {
      if (node.head !== undefined && !node.isHeadOverdue) this.#giveUp(node.head);
      this.#tree.settle(node, 'work');
      if (node.head !== undefined) this.keepForOverdue(node.head);
    }
    for (const entry of this.nominees) {
      if ((entry.nominatedUntil ?? 0) <= now) this.#giveUp(entry);
    }
  }

  /** Reserves the clusters that an overdue head needs. */
  keepForOverdue(entry: QueueEntry): void {
    const { node, shape } = entry;
    if (shape.refusal?.kind !== 'not-now' || node.head !== entry) return;
    if (!node.isHeadOverdue || !node.isOffered) return;
    this.keptClusters.keep(entry, shape.refusal.clusters);
  }

  /** Reserves what the evictions free for this work. */
  nominate(entry: QueueEntry, clusters: readonly string[], until: number): void {
    entry.nominatedUntil = until;
    this.nominees.add(entry);
    this.keptRoom.nominate(entry);
    this.keptClusters.keep(entry, clusters);
  }

  /** Call after limits changed: moves work between `aside` and the line. */
  recheck(): void {
    for (const node of this.#tree.nodes()) {
      for (const entry of [...node.aside]) this.#enter(entry);
      this.#settle(node);
      if (node.head !== undefined && !node.isOpen) this.#giveUp(node.head);
    }
  }

  /** Recomputes all demands after a dimension was added. */
  measureAgain(): void {
    this.shapes.measureAgain();
    for (const node of this.#tree.nodes()) {
      node.line.summariseAgain();
      this.#tree.settle(node);
    }
  }

  /** Drops all reservations of this work. */
  #giveUp(entry: QueueEntry): void {
    if (this.nominees.delete(entry)) delete entry.nominatedUntil;
    this.keptRoom.release(entry);
    const clusters = this.keptClusters.release(entry);
    if (clusters.size > 0) this.roomFreed(clusters);
  }

  #tryAgain(now: number): void {
    this.#inVainSince = now;
    const nodes = [...this.#inVain];
    this.#inVain.clear();
    for (const node of nodes) {
      node.triedInVain = 0;
      this.#tree.settle(node, 'work');
    }
  }

  #enterAll(items: Iterable<QueueEntry>): void {
    for (const entry of items) this.#enter(entry);
  }

  #enter(entry: QueueEntry): void {
    this.#leave(entry);
    const { item, node, shape } = entry;
    const isAside = !item.claimsSettled || shape.refusal?.kind === 'never';
    entry.place = isAside ? 'aside' : 'in-line';
    if (isAside) node.aside.add(entry);
    else node.line.insert(entry);
    this.#settle(node);
  }

  #leave(entry: QueueEntry): void {
    const { node, place } = entry;
    entry.place = 'nowhere';
    if (place === 'aside') node.aside.delete(entry);
    if (place === 'in-line') node.line.remove(entry);
  }

  /** Moves heads that exceed a limit on their own aside, so that they block nobody. */
  #settle(node: QueueNode): void {
    for (let first = node.line.first; first !== undefined; first = node.line.first) {
      if (impossibleBy(first, this.#tree.total) === undefined) break;
      this.#leave(first);
      first.place = 'aside';
      node.aside.add(first);
    }
    const before = this.heads.follow(node);
    if (before !== undefined) this.#giveUp(before);
    this.#tree.settle(node, 'work');
  }
}
