import { type Amounts, NOTHING, textOfAmounts } from './amounts.ts';
import { capabilityExceeded } from './limits.ts';
import type { QueueFacts } from './queue-facts.ts';
import type { QueueNode } from './queue-node.ts';
import { QueueTree } from './queue-tree.ts';
import { findNext } from './search.ts';
import { type Shape, Shapes, type Waiting } from './shapes.ts';
import { type Verdict, verdictOn } from './verdict.ts';
import type { ChosenClusters, Fits, RunningWork, WorkItem } from './work-item.ts';

const NONE: ReadonlySet<string> = new Set();

/** Work whose turn it is, and where it fits. */
export interface Chosen {
  readonly item: WorkItem;
  readonly clusters: ChosenClusters;
}

/**
 * All queues, the work that waits in them and the work that they run. It is told what changes, one thing at a time,
 * and says whose turn it is; each costs the logarithm of what waits. The same calls give the same answers.
 */
export class WorkQueues {
  readonly #tree = new QueueTree();
  readonly #shapes = new Shapes(this.#tree.dimensions);
  readonly #waiting = new Map<string, Waiting>();
  readonly #running = new Map<string, RunningWork>();

  get waiting(): number {
    return this.#waiting.size;
  }

  setQueue(facts: QueueFacts): void {
    if (this.#tree.setQueue(facts)) this.#measureAgain();
    this.#lookAgain(this.#tree.node(facts.name));
  }

  removeQueue(name: string): void {
    this.#tree.removeQueue(name);
  }

  /** The clusters changed: what they have together, or what they are. Work that could never fit is asked about again. */
  setTotal(total: Amounts): void {
    if (textOfAmounts(total) !== textOfAmounts(this.#tree.total)) {
      if (this.#tree.setTotal(total)) this.#measureAgain();
      for (const node of this.#tree.nodes()) this.#tree.settle(node);
    }
    for (const shape of [...this.#shapes.refused]) {
      const wasNever = shape.refusal?.kind === 'never';
      this.#shapes.accept(shape);
      if (!wasNever) continue;
      for (const waiting of shape.items) this.#enter(waiting);
      this.#shapes.askAbout(shape);
    }
  }

  /** There is more room in the clusters than before: in these, or in any. */
  roomFreed(clusters?: ReadonlySet<string>): void {
    for (const shape of [...this.#shapes.refused]) {
      if (shape.refusal?.kind !== 'not-now') continue;
      if (clusters === undefined || shape.refusal.clusters.some((name) => clusters.has(name))) {
        this.#shapes.accept(shape);
      }
    }
  }

  /** Work that waits: new, or changed. */
  setItem(item: WorkItem): void {
    this.removeItem(item.key);
    const node = this.#tree.node(item.queue);
    const shape = this.#shapes.enter(item);
    const waiting: Waiting = { item, shape, node, place: 'nowhere' };
    this.#waiting.set(item.key, waiting);
    shape.items.add(waiting);
    if (!shape.wasAsked) this.#shapes.askAbout(shape);
    this.#enter(waiting);
  }

  removeItem(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    this.#leave(waiting);
    this.#shapes.leave(waiting);
    this.#tree.forgetIfUnused(waiting.node);
  }

  /** Work that was released: new, or with other amounts than before. */
  setRunning(work: RunningWork): void {
    this.removeRunning(work.key);
    this.#running.set(work.key, work);
    this.#count(work, 1);
  }

  /** Work that ended, or that waits again. */
  removeRunning(key: string): void {
    const work = this.#running.get(key);
    if (work === undefined) return;
    this.#running.delete(key);
    this.#count(work, -1);
  }

  /** Releases the next work that fits, if there is any. It counts as running from then on. */
  chooseNext(fits: Fits, now: number): Chosen | undefined {
    for (const waiting of this.#shapes.takeUnasked()) this.#ask(waiting, fits);
    for (;;) {
      const waiting = this.#next();
      if (waiting === undefined) return undefined;
      const { item, shape } = waiting;
      const answer = fits(item, NONE);
      if (answer.kind !== 'fits') {
        this.#refuse(shape, answer);
        continue;
      }
      this.removeItem(item.key);
      const { key, queue, priority, requests: amounts } = item;
      const clusters = Object.keys(answer.clusters);
      this.setRunning({ key, queue, priority, amounts, clusters, startedAt: now });
      return { item, clusters: answer.clusters };
    }
  }

  /** Why work waits; nothing for work that does not. */
  verdictOf(key: string): Verdict | undefined {
    const waiting = this.#waiting.get(key);
    return waiting && verdictOn(waiting, this.#tree);
  }

  usedBy(queue: string): Amounts {
    return this.#tree.find(queue)?.used ?? NOTHING;
  }

  /** What is wrong with the place of a queue in the tree. */
  problemOf(queue: string): string | undefined {
    return this.#tree.problemOf(queue);
  }

  #next(): Waiting | undefined {
    const open = this.#shapes.openSlots;
    return findNext(this.#tree, open, 'guaranteed') ?? findNext(this.#tree, open, 'shared');
  }

  /** Work that can never fit is told so even where it is not its turn. */
  #ask({ item, shape }: Waiting, fits: Fits): void {
    const answer = fits(item, NONE);
    if (answer.kind !== 'fits') this.#refuse(shape, answer);
  }

  #refuse(shape: Shape, refusal: NonNullable<Shape['refusal']>): void {
    this.#shapes.refuse(shape, refusal);
    if (refusal.kind !== 'never') return;
    for (const waiting of shape.items) this.#enter(waiting);
  }

  #enter(waiting: Waiting): void {
    this.#leave(waiting, false);
    const { item, node, shape } = waiting;
    const isAside = !item.claimsSettled || shape.refusal?.kind === 'never';
    waiting.place = isAside ? 'aside' : 'in-line';
    if (isAside) node.aside.add(waiting);
    else node.line.insert(waiting);
    this.#settle(node);
  }

  #leave(waiting: Waiting, settles = true): void {
    const { node, place } = waiting;
    if (place === 'in-line') node.line.remove(waiting);
    if (place === 'aside') node.aside.delete(waiting);
    waiting.place = 'nowhere';
    if (settles && place === 'in-line') this.#settle(node);
  }

  /** In a strict line, nobody waits behind work that exceeds a limit by itself. */
  #settle(node: QueueNode): void {
    if (node.facts?.isStrict === true) {
      for (let first = node.line.first; first !== undefined; first = node.line.first) {
        if (capabilityExceeded(node, first.item.requests) === undefined) break;
        node.line.remove(first);
        first.place = 'aside';
        node.aside.add(first);
      }
    }
    this.#tree.settle(node, 'work');
  }

  #count(work: RunningWork, sign: 1 | -1): void {
    const node = this.#tree.node(work.queue);
    this.#tree.addUsage(node, work.amounts, sign);
    this.#tree.settle(node);
    this.#tree.forgetIfUnused(node);
  }

  /** After the limits of a queue changed: work aside, here and below, may be in line again, and the other way. */
  #lookAgain(node: QueueNode): void {
    for (const waiting of [...node.aside]) this.#enter(waiting);
    this.#settle(node);
    for (const child of node.children) this.#lookAgain(child);
  }

  #measureAgain(): void {
    this.#shapes.measureAgain();
    for (const node of this.#tree.nodes()) {
      node.line.summariseAgain();
      this.#tree.settle(node);
    }
  }
}
