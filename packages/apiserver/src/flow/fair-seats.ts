/** A user with seats, and waiting callers in the order of their requests. */
interface Party {
  seats: number;
  readonly queue: Set<() => void>;
}

export interface SeatLimits {
  readonly seats: number;
  readonly waitingPerUser: number;
  readonly waiting: number;
}

/** Limit of a user's share of the seats, so that other users need not wait for them. */
const LARGEST_SHARE = 3 / 4;

/**
 * Seats that are assigned fairly to waiting users. A free seat goes to the user who was served longest ago: before
 * a user gets a first seat, every other user is served at most once, however many requests they have. Costs are
 * independent of the number of users.
 */
export class FairSeats {
  readonly #limits: SeatLimits;
  readonly #share: number;
  readonly #parties = new Map<string, Party>();
  /** Parties that wait and may have another seat, in order. */
  readonly #turns = new Set<Party>();
  #usedSeats = 0;
  #waitingCount = 0;

  constructor(limits: SeatLimits) {
    this.#limits = limits;
    this.#share = Math.ceil(limits.seats * LARGEST_SHARE);
  }

  get waiting(): number {
    return this.#waitingCount;
  }

  /** Takes a free seat; false if there is none, or others wait already. */
  take(user: string): boolean {
    const party = this.#partyOf(user);
    if (this.#usedSeats >= this.#limits.seats || party.seats >= this.#share) {
      this.#forgetIdle(user, party);
      return false;
    }
    party.seats += 1;
    this.#usedSeats += 1;
    return true;
  }

  /**
   * Waits for a seat, and calls the function when it is taken. Disposing the result ends the waiting.
   * Undefined when too many wait already.
   */
  wait(user: string, seated: () => void): Disposable | undefined {
    const party = this.#partyOf(user);
    const { waiting, waitingPerUser } = this.#limits;
    if (this.#waitingCount >= waiting || party.queue.size >= waitingPerUser) return undefined;
    party.queue.add(seated);
    this.#waitingCount += 1;
    if (party.seats < this.#share) this.#turns.add(party);
    return {
      [Symbol.dispose]: () => {
        if (!party.queue.delete(seated)) return;
        this.#waitingCount -= 1;
        if (party.queue.size === 0) this.#turns.delete(party);
        this.#forgetIdle(user, party);
      },
    };
  }

  /** Gives a seat back. */
  leave(user: string): void {
    const party = this.#partyOf(user);
    party.seats -= 1;
    this.#usedSeats -= 1;
    if (party.queue.size > 0) this.#turns.add(party);
    this.#seatNext();
    this.#forgetIdle(user, party);
  }

  #seatNext(): void {
    for (const party of this.#turns) {
      if (this.#usedSeats >= this.#limits.seats) return;
      const [seated] = party.queue;
      this.#turns.delete(party);
      if (seated === undefined) continue;
      party.queue.delete(seated);
      this.#waitingCount -= 1;
      party.seats += 1;
      this.#usedSeats += 1;
      if (party.queue.size > 0 && party.seats < this.#share) this.#turns.add(party);
      seated();
    }
  }

  #partyOf(user: string): Party {
    const existingParty = this.#parties.get(user);
    if (existingParty !== undefined) return existingParty;
    const party = { seats: 0, queue: new Set<() => void>() };
    this.#parties.set(user, party);
    return party;
  }

  #forgetIdle(user: string, { seats, queue }: Party): void {
    if (seats === 0 && queue.size === 0) this.#parties.delete(user);
  }
}
