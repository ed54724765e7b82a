import { type Amounts, NOTHING, textOfAmounts } from './amounts.ts';
import { type Patience, patienceOf, RESERVE_AFTER_MS } from './overdue.ts';
import { PendingWork } from './pending-work.ts';
import type { QueueFacts } from './queue-facts.ts';
import { QueueTree } from './queue-tree.ts';
import { headsInOrder, type Reclaim, Reclaimer, type ReclaimOptions } from './reclaim.ts';
import { type Turn, Turns } from './turns.ts';
import { type Verdict, verdictOn } from './verdict.ts';
import type { ChosenClusters, Feasibility, Fits, RunningWork, WorkItem } from './work-item.ts';

const NONE: ReadonlySet<string> = new Set();

/** Released work and its clusters. */
export interface WorkChoice {
  readonly item: WorkItem;
  readonly clusters: ChosenClusters;
}

/** Turns an answer that uses reserved clusters into a refusal. */
const leavingAlone = (
  answer: Feasibility,
  avoidedNames: ReadonlySet<string>,
  { requests }: WorkItem,
): Feasibility => {
  if (answer.kind !== 'fits') return answer;
  const clusters = Object.keys(answer.clusters).filter((cluster) => avoidedNames.has(cluster));
  return clusters.length === 0 ? answer : { kind: 'not-now', missing: requests, clusters };
};

/**
 * All queues with their waiting and running work. The caller reports one change at a time and asks
 * for the next release; each costs O(log n) of the waiting work. Deterministic: the same calls give
 * the same answers.
 */
export class WorkQueues {
  readonly #tree = new QueueTree();
  readonly #runningWork = new Map<string, RunningWork>();
  readonly #runningIn = new Map<string, Set<RunningWork>>();
  readonly #pendingWork: PendingWork;
  readonly #turns: Turns;
  /** Batches limit changes: many queues often change at once, as at startup. */
  #isLimitChanged = false;

  readonly #patience: Patience;

  constructor(patience: Patience = patienceOf(RESERVE_AFTER_MS)) {
    this.#patience = patience;
    this.#pendingWork = new PendingWork(this.#tree, patience);
    this.#turns = new Turns(this.#tree, this.#pendingWork);
  }

  get waitingCount(): number {
    return this.#pendingWork.size;
  }

  setQueue(facts: QueueFacts): void {
    if (this.#tree.setQueue(facts)) this.#pendingWork.measureAgain();
    this.#isLimitChanged = true;
  }

  removeQueue(name: string): void {
    this.#tree.removeQueue(name);
    this.#isLimitChanged = true;
  }

  /** Sets the allocatable sum after the clusters changed, and retries work that could never fit. */
  setTotal(total: Amounts): void {
    if (textOfAmounts(total) !== textOfAmounts(this.#tree.total)) {
      if (this.#tree.setTotal(total)) this.#pendingWork.measureAgain();
      for (const node of this.#tree.nodes()) this.#tree.settle(node);
      this.#isLimitChanged = true;
    }
    this.#pendingWork.askAgain();
  }

  /** Retries refused work after room was freed in these clusters, or in any. */
  roomFreed(clusters?: ReadonlySet<string>): void {
    this.#pendingWork.roomFreed(clusters);
  }

  /** Adds or updates waiting work. */
  setItem(item: WorkItem): void {
    this.#pendingWork.set(item);
  }

  removeItem(key: string): void {
    this.#pendingWork.remove(key);
  }

  /** Adds or updates running work. */
  setRunning(work: RunningWork): void {
    this.removeRunning(work.key);
    this.#runningWork.set(work.key, work);
    const others = this.#runningIn.get(work.queue);
    if (others === undefined) this.#runningIn.set(work.queue, new Set([work]));
    else others.add(work);
    this.#count(work, 1);
  }

  /** Removes running work that finished or was requeued. */
  removeRunning(key: string): void {
    const work = this.#runningWork.get(key);
    if (work === undefined) return;
    this.#runningWork.delete(key);
    const others = this.#runningIn.get(work.queue);
    others?.delete(work);
    if (others?.size === 0) this.#runningIn.delete(work.queue);
    this.#count(work, -1);
  }

  /** Releases the next work that fits, if any. It counts as running from then on. */
  chooseNext(fits: Fits, now: number): WorkChoice | undefined {
    if (this.#isLimitChanged) this.#pendingWork.recheck();
    this.#isLimitChanged = false;
    this.#pendingWork.advance(now);
    this.#turns.refresh();
    // Reports work that can never fit, even when it is not first in line.
    for (const entry of this.#pendingWork.shapes.takeUnasked()) {
      this.#ask({ entry, pass: 'shared' }, fits);
    }
    for (;;) {
      const turn = this.#turns.next();
      if (turn === undefined) return undefined;
      const answer = this.#ask(turn, fits);
      if (answer.kind !== 'fits') {
        this.#pendingWork.triedInVain(turn.entry.node);
        continue;
      }
      const { item } = turn.entry;
      const { key, queue, priority, requests: amounts } = item;
      this.removeItem(key);
      const clusters = Object.keys(answer.clusters);
      this.setRunning({ key, queue, priority, amounts, clusters, startedAt: now });
      return { item, clusters: answer.clusters };
    }
  }

  /**
   * Chooses victims for the first work in order whose queue is below its deserved amount, or that
   * outranks running work of its own queue. The freed room stays reserved for it for a time; the
   * caller evicts. Scans all queues: not for every event.
   */
  chooseReclaim(options: ReclaimOptions, now: number): Reclaim | undefined {
    const reclaimer = new Reclaimer(
      this.#tree,
      ({ name }) => this.#runningIn.get(name) ?? new Set(),
    );
    for (const entry of headsInOrder(this.#tree.root)) {
      if (entry.nominatedUntil !== undefined) continue;
      const reclaim = reclaimer.choose(entry, options);
      if (reclaim === undefined) continue;
      this.#pendingWork.nominate(entry, Object.keys(reclaim.clusters), now + this.#patience.forMs);
      return reclaim;
    }
    return undefined;
  }

  /** The reason why work waits; undefined if it does not. */
  verdictOf(key: string): Verdict | undefined {
    const entry = this.#pendingWork.find(key);
    return entry && verdictOn(entry, this.#tree);
  }

  requestsOf(key: string): Amounts | undefined {
    return this.#pendingWork.find(key)?.item.requests;
  }

  usedBy(queue: string): Amounts {
    return this.#tree.find(queue)?.usage ?? NOTHING;
  }

  /** The reason why a queue is not part of the tree. */
  problemOf(queue: string): string | undefined {
    return this.#tree.problemOf(queue);
  }

  #ask({ entry, pass }: Turn, fits: Fits): Feasibility {
    const { item, shape } = entry;
    const { keptClusters } = this.#pendingWork;
    const avoidedNames = pass === 'guaranteed' ? NONE : keptClusters.avoidedBy(entry);
    const answer = leavingAlone(fits(item, avoidedNames), avoidedNames, item);
    if (answer.kind === 'fits') return answer;
    const isForOthers = avoidedNames.size > 0 && answer.kind === 'not-now';
    this.#pendingWork.refuse(shape, { ...answer, isForOthers });
    this.#pendingWork.keepForOverdue(entry);
    return answer;
  }

  #count(work: RunningWork, sign: 1 | -1): void {
    const node = this.#tree.node(work.queue);
    this.#tree.addUsage(node, work.amounts, sign);
    this.#tree.settle(node);
    this.#tree.forgetIfUnused(node);
  }
}
