import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { type Amounts, timesOf } from './amounts.ts';
import { Grants, grantedParts } from './grants.ts';
import { patienceOf, RESERVE_AFTER_MS } from './overdue.ts';
import type { PromisedRoom } from './promised-room.ts';
import { factsOfQueue } from './queue-facts.ts';
import type { Reservation } from './queue-marks.ts';
import { isClosed } from './queue-state.ts';
import type { Reclaim } from './reclaim.ts';
import { type FlightTimes, RoomInFlight } from './room-in-flight.ts';
import type { HeldVerdict } from './verdict.ts';
import { type CountedWork, type QueueCounts, WorkCounts } from './work-counts.ts';
import type { Feasibility, WorkItem } from './work-item.ts';
import { type QueueStanding, standingInQueue, type WorkPart } from './work-of-binding.ts';
import { WorkQueues } from './work-queues.ts';

/** What decides about work in a queue beside its binding. */
export interface WorkFacts {
  readonly priority: number;
  /** Whether its namespace may use the queue. */
  readonly isAllowed: boolean;
  /** In so many clusters it is to run as a whole; 1 for what is divided. */
  readonly copies: number;
  /** Work of one shape fits alike. */
  readonly shape: string;
}

/** Work that is let through now. */
export interface Granted {
  readonly key: string;
  readonly reservation: Reservation;
}

const NO_CLUSTERS: readonly string[] = [];

export interface DispatchStateOptions {
  readonly bindingOf: (key: string) => ResourceBinding | undefined;
  /** Where work can run now, beside what clusters were promised to other work. */
  readonly feasibility: (
    binding: ResourceBinding,
    promised: PromisedRoom,
    /** What would be gone. */
    gone: readonly WorkPart[],
  ) => Feasibility;
  /** After which time small work does not pass the first of a queue any more. */
  readonly reserveAfterMs?: number;
}

/**
 * All that a dispatcher knows: queues, work that waits and work that runs. It is made of objects alone, and follows
 * them one by one.
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
    this.changed.add(queue.metadata.name);
  }

  removeQueue(name: string): void {
    this.#queues.removeQueue(name);
    this.changed.delete(name);
  }

  setTotal(total: Amounts): void {
    this.#queues.setTotal(total);
  }

  /** A cluster counts all work that it had at a moment. */
  counted(cluster: string, untilMs: number): void {
    this.#flights.counted(cluster, untilMs);
  }

  /** A cluster may have room that it did not have. */
  roomFreed(cluster: string): void {
    this.#queues.roomFreed(new Set([cluster]));
  }

  /** Clusters that have got work and are about to report it. */
  get landed(): Set<string> {
    return this.#flights.landed;
  }

  /** Work may fit that did not, wherever. */
  lookEverywhere(): void {
    this.#queues.roomFreed();
  }

  setBinding(key: string, binding: ResourceBinding, facts: WorkFacts, now: number): void {
    const standing = standingInQueue(binding);
    if (this.#grants.has(key)) {
      const isWaiting = standing?.kind === 'waiting' && facts.isAllowed;
      if (isWaiting && this.#grants.holdsFor(key, standing)) return;
      this.#grants.delete(key);
    }
    if (standing === undefined) this.removeBinding(key);
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

  /** Work whose turn it is, one after the other. What is given counts as running from then on. */
  *choose(now: number): Generator<Granted> {
    for (;;) {
      const chosen = this.#queues.chooseNext(({ key }) => this.#feasibility(key), now);
      if (chosen === undefined) return;
      const { key } = chosen.item;
      const reservation = { clusters: chosen.clusters, at: now };
      if (this.#grant(key, reservation)) yield { key, reservation };
    }
  }

  /** Running work that is to be taken back so that other work can run. It looks at all queues. */
  reclaim(mostVictims: number, now: number): Reclaim | undefined {
    const fits = ({ key }: WorkItem, gone: ReadonlySet<string>) =>
      this.#feasibility(
        key,
        [...gone].flatMap((one) => this.#partsOf(one)),
      );
    return this.#queues.chooseReclaim({ fits, mostVictims }, now);
  }

  /** What is kept for work that was let through and does not say so yet. */
  grantOf(key: string): Reservation | undefined {
    return this.#grants.reservationOf(key);
  }

  /** Why work is held; nothing for work that is not. */
  verdictOf(key: string): HeldVerdict | undefined {
    return this.#aside.get(key) ?? this.#queues.verdictOf(key);
  }

  countsOf(queue: string): QueueCounts {
    return this.#counts.of(queue);
  }

  /** Queues with other numbers than were last asked for. */
  get changed(): Set<string> {
    return this.#counts.changed;
  }

  usedBy(queue: string): Amounts {
    return this.#queues.usedBy(queue);
  }

  #feasibility(key: string, gone: readonly WorkPart[] = []): Feasibility {
    const binding = this.#options.bindingOf(key);
    if (binding === undefined) return { kind: 'not-now', missing: new Map(), clusters: [] };
    return this.#options.feasibility(binding, this.#flights.promised, gone);
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
    counted: Pick<CountedWork, 'queue' | 'as'>,
    times: FlightTimes,
  ): void {
    const before = this.#counts.clustersOf(key);
    const clusters = parts.map(({ cluster }) => cluster);
    this.#flights.set(key, parts, before, times);
    this.#counts.set(key, { ...counted, clusters });
  }

  /** What it took is free, as far as it was promised: what the clusters report follows. */
  #stopRunning(key: string): void {
    const clusters = this.#counts.clustersOf(key);
    this.#queues.removeRunning(key);
    if (clusters.length === 0) return;
    this.#flights.remove(key, clusters);
    this.#queues.roomFreed(new Set(clusters));
  }
}
