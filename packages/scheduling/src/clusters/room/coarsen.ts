/** Amounts by resource, at the same index in all vectors of a set. */
export type Vector = readonly number[];

/** A group of items, all reported with the same amounts. */
export interface Alike {
  readonly count: number;
  readonly amounts: Vector;
}

/** A split of a box: the resource index, the threshold, and the precision gained. */
interface Cut {
  readonly at: number;
  readonly from: number;
  readonly gain: number;
}

interface Box {
  readonly members: readonly Vector[];
  readonly cut: Cut | undefined;
}

/**
 * A box reports its members with their common minimum. A split along one resource raises the upper
 * part: each member by the distance between the two minima.
 */
const cutAlong = (members: readonly Vector[], at: number, scale: number): Cut | undefined => {
  const amountsAsc = Float64Array.from(members, (amounts) => amounts[at] as number).sort();
  const least = amountsAsc[0] as number;
  if (amountsAsc[amountsAsc.length - 1] === least) return undefined;
  let best = { from: least, gain: 0 };
  for (let index = 1; index < amountsAsc.length; index += 1) {
    const from = amountsAsc[index] as number;
    const gain = (amountsAsc.length - index) * (from - least);
    if (gain > best.gain) best = { from, gain };
  }
  return { at, from: best.from, gain: best.gain / scale };
};

const boxOf = (members: readonly Vector[], scales: readonly number[]): Box => {
  let cut: Cut | undefined;
  for (const [at, scale] of scales.entries()) {
    const other = cutAlong(members, at, scale);
    if (other !== undefined && other.gain > (cut?.gain ?? 0)) cut = other;
  }
  return { members, cut };
};

const smallestOf = (members: readonly Vector[]): Alike => {
  const [first = [], ...others] = members;
  const amounts = [...first];
  for (const other of others) {
    for (const [at, amount] of other.entries()) {
      if (amount < (amounts[at] as number)) amounts[at] = amount;
    }
  }
  return { count: members.length, amounts };
};

/** The largest amount of each resource, which normalises differences. */
const scalesOf = (sets: readonly (readonly Vector[])[]): readonly number[] => {
  const scales: number[] = [];
  for (const set of sets) {
    for (const amounts of set) {
      for (const [at, amount] of amounts.entries()) {
        scales[at] = Math.max(scales[at] ?? 1, Math.abs(amount));
      }
    }
  }
  return scales;
};

interface OpenBox {
  readonly set: Box[];
  readonly index: number;
  readonly cut: Cut;
}

/** The box whose split gains the most precision. */
const widest = (sets: readonly Box[][]): OpenBox | undefined => {
  let widestBox: OpenBox | undefined;
  for (const set of sets) {
    for (const [index, { cut }] of set.entries()) {
      if (cut !== undefined && cut.gain > (widestBox?.cut.gain ?? 0))
        widestBox = { set, index, cut };
    }
  }
  return widestBox;
};

/**
 * Compresses sets of vectors into at most `most` groups in total, at least one per nonempty set.
 * Exact while the distinct vectors fit; otherwise no item is reported with more than it has. The
 * box that gains most is split first, so that groups go where items differ.
 */
export const coarsen = (
  sets: readonly (readonly Vector[])[],
  most: number,
): readonly (readonly Alike[])[] => {
  const scales = scalesOf(sets);
  const boxes = sets.map((set) => (set.length === 0 ? [] : [boxOf(set, scales)]));
  for (let entries = boxes.flat().length; entries < most; entries += 1) {
    const open = widest(boxes);
    if (open === undefined) break;
    const { set, index, cut } = open;
    const { members } = set[index] as Box;
    const lower: Vector[] = [];
    const upper: Vector[] = [];
    for (const one of members) ((one[cut.at] as number) < cut.from ? lower : upper).push(one);
    set.splice(index, 1, boxOf(lower, scales), boxOf(upper, scales));
  }
  return boxes.map((set) => set.map(({ members }) => smallestOf(members)));
};
