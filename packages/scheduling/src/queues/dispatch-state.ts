import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { Reservation } from '../placement/binding/queue-marks.ts';
import { type Amounts, timesOf } from './amounts.ts';
import { Grants, grantedParts } from './grants.ts';
import { patienceOf, RESERVE_AFTER_MS } from './overdue.ts';
import type { PromisedRoom } from './promised-room.ts';
import { factsOfQueue } from './queue-facts.ts';
import { isClosed } from './queue-state.ts';
import type { Reclaim } from './reclaim.ts';
import { wasReleased } from './release-work.ts';
import { type FlightTimes, RoomInFlight } from './room-in-flight.ts';
import type { HeldVerdict } from './verdict.ts';
import { type CountedWork, type QueueCounts, WorkCounts } from './work-counts.ts';
import type { WorkFacts } from './work-facts.ts';
import type { Feasibility, WorkItem } from './work-item.ts';
import { type QueueStanding, standingInQueue, type WorkPart } from './work-of-binding.ts';
import { WorkQueues } from './work-queues.ts';

/** Work that its queue released in this round. */
export interface WorkGrant {
  readonly key: string;
  readonly reservation: Reservation;
}

const NO_CLUSTERS: readonly string[] = [];

export interface DispatchStateOptions {
  readonly bindingOf: (key: string) => ResourceBinding | undefined;
  /** Places the work on the free room of the clusters, minus the room promised to other work. */
  readonly feasibility: (
    binding: ResourceBinding,
    promised: PromisedRoom,
    /** Running work to treat as evicted. */
    evictedParts: readonly WorkPart[],
  ) => Feasibility;
  /** Age after which the head of a queue blocks smaller work behind it. */
  readonly reserveAfterMs?: number;
}

/**
 * The dispatcher's cache: queues, waiting work and running work. It is derived from API objects
 * alone and updated one object at a time.
 */
export class DispatchState {
  readonly #options: DispatchStateOptions;
  readonly #queues: WorkQueues;
  readonly #flights = new RoomInFlight();
  readonly #counts = new WorkCounts();
  readonly #aside = new Map<string, HeldVerdict>();
  readonly #grants = new Grants();

  constructor(options: DispatchStateOptions) {
    this.#options = options;
    this.#queues = new WorkQueues(patienceOf(options.reserveAfterMs ?? RESERVE_AFTER_MS));
  }

  setQueue(queue: Queue): void {
    this.#queues.setQueue({ ...factsOfQueue(queue), isOpen: !isClosed(queue) });
    this.changes.add(queue.metadata.name);
  }

  removeQueue(name: string): void {
    this.#queues.removeQueue(name);
    this.changes.delete(name);
  }

  setTotal(total: Amounts): void {
    this.#queues.setTotal(total);
  }

  /** The cluster's report covers all work that landed in it up to `untilMs`. */
  noteReport(cluster: string, untilMs: number): void {
    this.#flights.noteReport(cluster, untilMs);
  }

  /** A cluster may have more free room than before. */
  roomFreed(cluster: string): void {
    this.#queues.roomFreed(new Set([cluster]));
  }

  /** Clusters that received work their status does not report yet. */
  get landings(): Set<string> {
    return this.#flights.landings;
  }

  /** Work that did not fit may now fit in any cluster. */
  recheckAll(): void {
    this.#queues.roomFreed();
  }

  setBinding(key: string, binding: ResourceBinding, facts: WorkFacts, now: number): void {
    const standing = standingInQueue(binding);
    if (this.#grants.has(key)) {
      const isWaiting = standing?.kind === 'waiting' && facts.isAllowed;
      if (isWaiting && this.#grants.holdsFor(key, standing)) return;
      this.#grants.delete(key);
    }
    // It ran when it got in: a queue that its namespace may not use does not pay for it.
    const isForeign =
      standing?.kind !== 'waiting' && !facts.isAllowed && !wasReleased(binding.metadata);
    if (standing === undefined || isForeign) this.removeBinding(key);
    else if (standing.kind === 'waiting') this.#wait(key, binding, standing, facts);
    else this.#run(key, standing, facts.priority, now);
  }

  removeBinding(key: string): void {
    this.#grants.delete(key);
    this.#queues.removeItem(key);
    this.#stopRunning(key);
    this.#aside.delete(key);
    this.#counts.set(key, undefined);
  }

  /** Yields released work in the order of the queues. Each counts as running from then on. */
  *choose(now: number): Generator<WorkGrant> {
    for (;;) {
      const choice = this.#queues.chooseNext(({ key }) => this.#feasibility(key), now);
      if (choice === undefined) return;
      const { key } = choice.item;
      const reservation = { clusters: choice.clusters, at: now };
      if (this.#grant(key, reservation)) yield { key, reservation };
    }
  }

  /** Chooses running work to evict so that other work can run. Scans all queues. */
  reclaim(mostVictims: number, now: number): Reclaim | undefined {
    const fits = ({ key }: WorkItem, evictedKeys: ReadonlySet<string>) =>
      this.#feasibility(
        key,
        [...evictedKeys].flatMap((one) => this.#partsOf(one)),
      );
    return this.#queues.chooseReclaim({ fits, mostVictims }, now);
  }

  /** The reservation of released work whose binding does not show it yet. */
  grantOf(key: string): Reservation | undefined {
    return this.#grants.reservationOf(key);
  }

  /** The reason why work is held; undefined if it is not held. */
  verdictOf(key: string): HeldVerdict | undefined {
    return this.#aside.get(key) ?? this.#queues.verdictOf(key);
  }

  /** The request that counts for waiting work: of all its copies. */
  requestsOf(key: string): Amounts | undefined {
    return this.#queues.requestsOf(key);
  }

  countsOf(queue: string): QueueCounts {
    return this.#counts.of(queue);
  }

  /** Queues whose counts changed since the caller last cleared this set. */
  get changes(): Set<string> {
    return this.#counts.changes;
  }

  usedBy(queue: string): Amounts {
    return this.#queues.usedBy(queue);
  }

  #feasibility(key: string, evictedParts: readonly WorkPart[] = []): Feasibility {
    const binding = this.#options.bindingOf(key);
    if (binding === undefined) return { kind: 'not-now', missing: new Map(), clusters: [] };
    return this.#options.feasibility(binding, this.#flights.promises, evictedParts);
  }

  #partsOf(key: string): readonly WorkPart[] {
    const binding = this.#options.bindingOf(key);
    const standing = binding && standingInQueue(binding);
    return standing?.kind === 'running' ? standing.parts : [];
  }

  #wait(
    key: string,
    { spec }: ResourceBinding,
    standing: QueueStanding & { kind: 'waiting' },
    { priority, isAllowed, copies, shape }: WorkFacts,
  ): void {
    const { work, copy, claimsSettled, isSuspended } = standing;
    const { queue, since: createdAt } = work;
    this.#stopRunning(key);
    this.#counts.set(key, { queue, as: 'pending', clusters: NO_CLUSTERS });
    if (isSuspended || !isAllowed) {
      this.#queues.removeItem(key);
      this.#aside.set(key, isSuspended ? { kind: 'suspended' } : { kind: 'barred', queue });
      return;
    }
    this.#aside.delete(key);
    const isGang = work.requests !== undefined || (spec.components ?? []).length > 0;
    const requests = timesOf(copy, copies);
    const order = { key, queue, priority, createdAt };
    this.#queues.setItem({ ...order, requests, shape, isGang, claimsSettled });
  }

  #run(
    key: string,
    standing: Exclude<QueueStanding, { kind: 'waiting' }>,
    priority: number,
    now: number,
  ): void {
    const { queue } = standing.work;
    this.#queues.removeItem(key);
    this.#aside.delete(key);
    if (standing.kind === 'over') {
      this.#stopRunning(key);
      this.#counts.set(key, { queue, as: 'completed', clusters: NO_CLUSTERS });
      return;
    }
    const { amounts, parts, startedAt, isPlaced } = standing;
    const times = { startedAt, now };
    this.#setRunning(key, parts, { queue, as: isPlaced ? 'running' : 'inqueue' }, times);
    const clusters = parts.map(({ cluster }) => cluster);
    this.#queues.setRunning({ key, queue, priority, startedAt, amounts, clusters });
  }

  #grant(key: string, reservation: Reservation): boolean {
    const binding = this.#options.bindingOf(key);
    const standing = binding && standingInQueue(binding);
    if (binding === undefined || standing?.kind !== 'waiting') {
      this.removeBinding(key);
      return false;
    }
    const parts = grantedParts(binding, reservation.clusters);
    this.#grants.set(key, standing, reservation);
    const times = { startedAt: reservation.at, now: reservation.at };
    this.#setRunning(key, parts, { queue: standing.work.queue, as: 'inqueue' }, times);
    return true;
  }

  #setRunning(
    key: string,
    parts: readonly WorkPart[],
    countedWork: Pick<CountedWork, 'queue' | 'as'>,
    times: FlightTimes,
  ): void {
    const before = this.#counts.clustersOf(key);
    const clusters = parts.map(({ cluster }) => cluster);
    const freedClusters = this.#flights.set(key, parts, before, times);
    this.#counts.set(key, { ...countedWork, clusters });
    // The scheduler may place work elsewhere than where room was kept for it.
    if (freedClusters.length > 0) this.#queues.roomFreed(new Set(freedClusters));
  }

  /** Frees the promised room at once; room in the cluster reports follows with the next report. */
  #stopRunning(key: string): void {
    const clusters = this.#counts.clustersOf(key);
    this.#queues.removeRunning(key);
    if (clusters.length === 0) return;
    this.#flights.remove(key, clusters);
    this.#queues.roomFreed(new Set(clusters));
  }
}
