import { type Amount, type Amounts, addTo, minus, NOTHING } from './amounts.ts';
import { Dimensions } from './dimensions.ts';
import { standingOf } from './fair-share.ts';
import { consistentFacts, type QueueFacts, rootFacts } from './queue-facts.ts';
import { ROOT_QUEUE } from './queue-names.ts';
import { type Offer, QueueNode } from './queue-node.ts';

/**
 * The queue hierarchy with usage per queue and the order among siblings. A queue whose parents do
 * not lead to the root is detached until they do; the others are not affected.
 */
export class QueueTree {
  readonly dimensions = new Dimensions();
  readonly root: QueueNode;
  readonly #nodes = new Map<string, QueueNode>();
  /** Queues that would form a cycle with their parents. */
  readonly #circular = new Set<QueueNode>();
  /** Queues with a reservation that changed since the last refresh. */
  readonly stale = new Set<QueueNode>();
  #total: Amounts = NOTHING;

  constructor() {
    this.root = this.node(ROOT_QUEUE);
    this.root.facts = rootFacts;
  }

  /** The allocatable sum of all clusters; resources that it does not name are unlimited. */
  get total(): Amounts {
    return this.#total;
  }

  /** Returns the queue, or creates its placeholder. */
  node(name: string): QueueNode {
    let node = this.#nodes.get(name);
    if (node === undefined) {
      node = new QueueNode(name);
      this.#nodes.set(name, node);
    }
    return node;
  }

  find(name: string): QueueNode | undefined {
    return this.#nodes.get(name);
  }

  /** All queues and placeholders. */
  nodes(): Iterable<QueueNode> {
    return this.#nodes.values();
  }

  /** Returns true if all summaries must be recomputed. */
  setTotal(total: Amounts): boolean {
    this.#total = total;
    return this.dimensions.add(total);
  }

  /** Returns true if all summaries must be recomputed. */
  setQueue(facts: QueueFacts): boolean {
    const node = this.node(facts.name);
    const isNew = [facts.capability, facts.guarantee]
      .map((amounts) => this.dimensions.add(amounts))
      .includes(true);
    this.#detach(node);
    node.facts = consistentFacts(facts);
    this.#attach(node);
    this.#tryCircular();
    return isNew;
  }

  removeQueue(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    this.#detach(node);
    node.facts = name === ROOT_QUEUE ? rootFacts : undefined;
    this.#circular.delete(node);
    this.#tryCircular();
    this.forgetIfUnused(node);
  }

  /** Removes a placeholder that nothing references. */
  forgetIfUnused(node: QueueNode): void {
    const isUsed =
      node.facts !== undefined ||
      node.children.size > 0 ||
      node.line.size + node.aside.size + node.running > 0;
    if (!isUsed) this.#nodes.delete(node.name);
  }

  /** Adds or removes the usage of one workload, here and in all ancestors. */
  addUsage(node: QueueNode, amounts: Amounts, sign: 1 | -1): void {
    for (let at: QueueNode | undefined = node; at !== undefined; at = at.parent) at.running += sign;
    for (const [resource, amount] of amounts) {
      const by = sign === 1 ? amount : -amount;
      for (let at: QueueNode | undefined = node; at !== undefined; at = at.parent) {
        addTo(at.usage, resource, by);
      }
      this.#count('committed', node, { resource, by });
    }
  }

  /**
   * Restores the sibling order from this queue to the root after its work, or its work and usage,
   * changed.
   */
  settle(node: QueueNode, change: 'work' | 'usage' = 'usage'): void {
    for (let at: QueueNode | undefined = node; at !== undefined; at = at.parent) {
      if (at.keptFor !== undefined) this.stale.add(at);
      const offer = at.offerNow(this.dimensions);
      if (change === 'work' && offer === at.offer) return;
      this.#place(at, offer);
    }
  }

  #place(node: QueueNode, offer: Offer | undefined): void {
    const { parent, facts } = node;
    if (node.isOffering) parent?.offerTree.remove(node);
    node.offer = offer;
    node.isOffering = parent !== undefined && facts !== undefined && offer !== undefined;
    if (facts === undefined) return;
    node.standing = standingOf(facts, node.usage, { total: this.#total, running: node.running });
    if (node.isOffering) parent?.offerTree.insert(node);
  }

  /** The reason why a queue is not part of the tree, as a message; undefined if it is. */
  problemOf(name: string): string | undefined {
    const visitedNames = new Set<string>();
    for (let at = name; at !== ROOT_QUEUE; ) {
      if (visitedNames.has(at))
        return `its parents form a circle: ${[...visitedNames].join(', ')}, ${at}`;
      visitedNames.add(at);
      const facts = this.#nodes.get(at)?.facts;
      if (facts === undefined) {
        return at === name ? `there is no queue ${at}` : `its parent ${at} does not exist`;
      }
      at = facts.parent;
    }
    return undefined;
  }

  #count(
    what: 'committed' | 'guaranteed',
    from: QueueNode,
    { resource, by }: { resource: string; by: Amount },
  ): void {
    let change = by;
    for (let at: QueueNode | undefined = from; at !== undefined && change !== 0; at = at.parent) {
      const before = at.counted(what, resource);
      addTo(at[what], resource, change);
      change = minus(at.counted(what, resource), before);
    }
  }

  /** Detaches a queue from its parent and subtracts its usage from all ancestors. */
  #detach(node: QueueNode): void {
    const { parent } = node;
    if (parent === undefined) return;
    if (node.isOffering) parent.offerTree.remove(node);
    node.isOffering = false;
    this.#carry(node, parent, -1);
    parent.children.delete(node);
    node.parent = undefined;
    this.settle(parent);
    this.forgetIfUnused(parent);
  }

  #attach(node: QueueNode): void {
    const { facts } = node;
    if (facts === undefined) return;
    const parent = node === this.root ? undefined : this.node(facts.parent);
    this.#circular.delete(node);
    for (let at = parent; at !== undefined; at = at.parent) {
      if (at !== node) continue;
      this.#circular.add(node);
      return;
    }
    if (parent !== undefined) {
      node.parent = parent;
      parent.children.add(node);
      this.#carry(node, parent, 1);
    }
    this.settle(node);
  }

  /** Retries the queues that were part of a cycle. */
  #tryCircular(): void {
    for (const node of [...this.#circular]) this.#attach(node);
  }

  #carry(node: QueueNode, to: QueueNode, sign: 1 | -1): void {
    const by = (amount: Amount): Amount => (sign === 1 ? amount : -amount);
    for (let at: QueueNode | undefined = to; at !== undefined; at = at.parent) {
      at.running += sign * node.running;
      for (const [resource, amount] of node.usage) addTo(at.usage, resource, by(amount));
    }
    const guarantee = node.facts?.guarantee ?? NOTHING;
    for (const what of ['committed', 'guaranteed'] as const) {
      for (const resource of new Set([...node[what].keys(), ...guarantee.keys()])) {
        this.#count(what, to, { resource, by: by(node.counted(what, resource)) });
      }
    }
  }
}
