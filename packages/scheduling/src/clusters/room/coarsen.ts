/** Amounts of resources, in an order that all vectors of a set share. */
export type Vector = readonly number[];

/** Things that are told alike: so many of them, each with this much of every resource. */
export interface Alike {
  readonly count: number;
  readonly amounts: Vector;
}

/** Where to cut a box: by which resource, from which amount on, and how much more is told then. */
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
 * The members of a box are told with the least that any of them has. Cut in two by one resource, all those of the
 * upper part are told with more: as much more as the parts are apart, each of them.
 */
const cutAlong = (members: readonly Vector[], at: number, scale: number): Cut | undefined => {
  const sorted = Float64Array.from(members, (amounts) => amounts[at] as number).sort();
  const least = sorted[0] as number;
  if (sorted[sorted.length - 1] === least) return undefined;
  let best = { from: least, gain: 0 };
  for (let index = 1; index < sorted.length; index += 1) {
    const from = sorted[index] as number;
    const gain = (sorted.length - index) * (from - least);
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

const toldAs = (members: readonly Vector[]): Alike => {
  const [first = [], ...others] = members;
  const amounts = [...first];
  for (const other of others) {
    for (const [at, amount] of other.entries()) {
      if (amount < (amounts[at] as number)) amounts[at] = amount;
    }
  }
  return { count: members.length, amounts };
};

/** The largest amount of each resource: what a difference is large or small against. */
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

/** The box of which a cut tells most. */
const widest = (sets: readonly Box[][]): OpenBox | undefined => {
  let found: OpenBox | undefined;
  for (const set of sets) {
    for (const [index, { cut }] of set.entries()) {
      if (cut !== undefined && cut.gain > (found?.cut.gain ?? 0)) found = { set, index, cut };
    }
  }
  return found;
};

/**
 * Tells sets of things with at most so many entries in all, and at least one for each set that is not empty:
 * exactly when there are no more different things, and otherwise each with no more of anything than it has. What is
 * cut apart next is always what tells most, so that the entries go where things differ.
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
  return boxes.map((set) => set.map(({ members }) => toldAs(members)));
};
