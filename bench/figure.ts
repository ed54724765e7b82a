/** One thing that was measured, here and with a peer. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  /** True if more of the unit is better, or less. */
  readonly better: 'more' | 'less';
  readonly ours: number;
  readonly peer: string;
  readonly theirs: number;
  /** Ratio of ours to theirs, larger if ours is better: the median of the rounds. */
  readonly ratio: number;
  /** The ratio to reach. */
  readonly goal: number;
}

/** A set of figures that are measured together. */
export interface Benchmark {
  readonly name: string;
  run(): Promise<readonly Figure[]>;
}

const median = (values: readonly number[]): number => {
  const ordered = values.toSorted((a, b) => a - b);
  const middle = Math.floor(ordered.length / 2);
  const upper = ordered[middle] ?? Number.NaN;
  return ordered.length % 2 === 1 ? upper : ((ordered[middle - 1] ?? upper) + upper) / 2;
};

export interface Rounds {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Rounds are compared in pairs, because what else the machine does changes from round to round. */
export const figureOf = (
  about: Pick<Figure, 'what' | 'unit' | 'better' | 'peer' | 'goal'>,
  { ours, theirs }: Rounds,
): Figure => {
  const ratios = ours.map((value, at) => {
    const other = theirs[at] ?? Number.NaN;
    return about.better === 'more' ? value / other : other / value;
  });
  return { ...about, ours: median(ours), theirs: median(theirs), ratio: median(ratios) };
};
