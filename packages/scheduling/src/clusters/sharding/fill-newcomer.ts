import { byWeight, fits, type Piece, type Shard, type Shares } from './shard.ts';

const move = (pieces: Iterable<Piece>, from: Shard, to: Shard): void => {
  for (const piece of [...pieces]) {
    from.remove(piece);
    to.add(piece);
  }
};

const heaviestFirst = (shards: readonly Shard[]): readonly Shard[] =>
  shards.toSorted((a, b) => b.load - a.load || (a.name < b.name ? -1 : 1));

/** The geographies of a scheduler, the heaviest first. */
const geographiesOf = (shard: Shard): readonly string[] =>
  [...shard.fragments.keys()].sort(
    (a, b) => shard.weightIn(b) - shard.weightIn(a) || (a < b ? -1 : 1),
  );

/** The clusters of a scheduler, grouped by geography: taking them in this order splits few. */
function* singlesOf(shard: Shard): Generator<Piece> {
  for (const geography of geographiesOf(shard)) {
    const pieces = [...(shard.fragments.get(geography) ?? [])].sort(byWeight);
    for (const piece of pieces) if (shard.fragments.get(geography)?.has(piece)) yield piece;
  }
}

const excessOf = (shard: Shard, { cap }: Shares): number =>
  fits(shard.load, cap) ? 0 : shard.load - cap;

/** The smallest geography that removes the donor's excess and fits into the newcomer. */
const sparedBy = (donor: Shard, excess: number, room: number): string | undefined =>
  geographiesOf(donor).findLast((geography) => {
    const weight = donor.weightIn(geography);
    return weight >= excess && fits(weight, room);
  });

/**
 * Takes from overloaded schedulers, the heaviest first, until none is overloaded or the newcomer is
 * full: a whole geography if that leaves room for the excess of the others, else single clusters.
 */
const relieve = (donors: readonly Shard[], newcomer: Shard, shares: Shares): void => {
  const queues = new Map<Shard, Iterator<Piece>>();
  const roomLeft = () => shares.mean - newcomer.load;
  let over = donors;
  for (;;) {
    over = heaviestFirst(over.filter((donor) => excessOf(donor, shares) > 0));
    const [donor, ...others] = over;
    if (donor === undefined) return;
    const queue = queues.get(donor) ?? singlesOf(donor);
    if (!queues.has(donor)) {
      queues.set(donor, queue);
      const othersExcess = others.reduce((sum, other) => sum + excessOf(other, shares), 0);
      const whole = sparedBy(donor, excessOf(donor, shares), roomLeft() - othersExcess);
      if (whole !== undefined) {
        move(donor.fragments.get(whole) ?? [], donor, newcomer);
        continue;
      }
    }
    const { value: piece, done } = queue.next();
    if (done) over = others;
    else if (fits(piece.cluster.weight, roomLeft())) move([piece], donor, newcomer);
  }
};

/** True if the donor keeps at least as much as the newcomer then has: else they would only swap. */
const isGain = (donor: Shard, newcomer: Shard, weight: number, { mean }: Shares): boolean =>
  weight > 0 &&
  fits(newcomer.load + weight, mean) &&
  fits(newcomer.load + weight, donor.load - weight);

interface Offer {
  readonly donor: Shard;
  readonly geography: string;
}

/** A geography that the newcomer partly has, else the largest that fits. */
const offerFor = (newcomer: Shard, donors: readonly Shard[], shares: Shares): Offer | undefined => {
  const isOffer = ({ donor, geography }: Offer) =>
    isGain(donor, newcomer, donor.weightIn(geography), shares);
  const donorOrder = heaviestFirst(donors);
  for (const geography of newcomer.fragments.keys()) {
    const donor = donorOrder.find((one) => isOffer({ donor: one, geography }));
    if (donor !== undefined) return { donor, geography };
  }
  for (const donor of donorOrder) {
    let best: string | undefined;
    for (const geography of donor.fragments.keys()) {
      if (!isOffer({ donor, geography })) continue;
      const lead = donor.weightIn(geography) - donor.weightIn(best ?? '');
      if (best === undefined || lead > 0 || (lead === 0 && geography < best)) best = geography;
    }
    if (best !== undefined) return { donor, geography: best };
  }
  return undefined;
};

const takeWholes = (donors: readonly Shard[], newcomer: Shard, shares: Shares): void => {
  for (;;) {
    const offer = offerFor(newcomer, donors, shares);
    if (offer === undefined) return;
    move(offer.donor.fragments.get(offer.geography) ?? [], offer.donor, newcomer);
  }
};

/** Takes single clusters until the newcomer has enough, exhausting one donor before the next. */
const takeSingles = (
  donors: readonly Shard[],
  newcomer: Shard,
  enough: number,
  shares: Shares,
): void => {
  for (const donor of heaviestFirst(donors)) {
    for (const piece of newcomer.load < enough ? singlesOf(donor) : []) {
      if (newcomer.load >= enough) return;
      if (isGain(donor, newcomer, piece.cluster.weight, shares)) move([piece], donor, newcomer);
    }
  }
};

/**
 * Fills a new scheduler from the heaviest ones: whole geographies while they fit, then single
 * clusters. It gets at most the mean, which keeps moves minimal; nothing moves between existing
 * schedulers.
 */
export const fillNewcomer = (
  newcomer: Shard,
  donors: readonly Shard[],
  slack: number,
  shares: Shares,
): void => {
  relieve(donors, newcomer, shares);
  takeWholes(donors, newcomer, shares);
  takeSingles(donors, newcomer, shares.mean * (1 - slack), shares);
};
