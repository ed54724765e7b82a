/** A party of an election: a cluster with its weight. */
export interface Party {
  readonly name: string;
  readonly votes: number;
}

export interface Seats {
  readonly name: string;
  readonly seats: number;
}

/** FNV-1a in 32 bits: ties are broken by workload, or the same cluster would always win. */
const fnv32a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
};

const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface Standing extends Party {
  seats: number;
  quotient: number;
}

const quotientOf = (votes: number, seats: number): number => votes / (2 * seats + 1);

/**
 * A lower bound on the seats of a party, which need not be assigned one by one. Rounding costs at most half a seat for
 * each party.
 */
const safeSeats = (votes: number, total: number, seats: number, parties: number): number =>
  Math.max(0, Math.floor((votes / total) * (seats - parties / 2)) - 2);

type IsBefore = (a: Standing, b: Standing) => boolean;

/** Restores the heap order below a place. */
const sink = (heap: Standing[], isBefore: IsBefore, from: number): void => {
  const party = heap[from] as Standing;
  let at = from;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    const right = child + 1;
    if (right < heap.length && isBefore(heap[right] as Standing, heap[child] as Standing)) {
      child = right;
    }
    const first = heap[child] as Standing;
    if (!isBefore(first, party)) break;
    heap[at] = first;
    at = child;
  }
  heap[at] = party;
};

/** The direction in which ties of a workload are broken, by its uid. */
export const tieDirection = (uid = ''): 1 | -1 => (uid !== '' && fnv32a(uid) % 2 === 1 ? -1 : 1);

/**
 * Assigns seats by the method of Webster (Sainte-Laguë): each goes to the party with the highest quotient. Sorted by
 * name.
 */
export const webster = (
  seats: number,
  parties: readonly Party[],
  uid?: string,
): readonly Seats[] => {
  const total = parties.reduce((sum, { votes }) => sum + votes, 0);
  if (total === 0) return [];
  const direction = tieDirection(uid);
  const isBefore = (a: Standing, b: Standing): boolean =>
    a.quotient === b.quotient
      ? (a.seats - b.seats || direction * compareNames(a.name, b.name)) < 0
      : a.quotient > b.quotient;
  let seatsLeft = seats;
  const heap = parties.map(({ name, votes }): Standing => {
    const safe = safeSeats(votes, total, seats, parties.length);
    seatsLeft -= safe;
    return { name, votes, seats: safe, quotient: quotientOf(votes, safe) };
  });
  for (let at = heap.length >> 1; at >= 0; at -= 1) sink(heap, isBefore, at);
  for (; seatsLeft > 0; seatsLeft -= 1) {
    const winner = heap[0] as Standing;
    winner.seats += 1;
    winner.quotient = quotientOf(winner.votes, winner.seats);
    sink(heap, isBefore, 0);
  }
  return heap
    .map(({ name, seats: count }) => ({ name, seats: count }))
    .sort((a, b) => compareNames(a.name, b.name));
};
