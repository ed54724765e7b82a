/** Numbers that are given out. The first ones are left, as long as possible, to those who ask for one by name. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
  /** Number of entries at the start of the range that are not allocated. */
  readonly reserved: number;
}

export const isWithin = ({ first, last }: NumberRange, number: number): boolean =>
  number >= first && number <= last;

/** The first free number after a random one, with the last followed by the first. */
const freeBetween = (
  first: number,
  last: number,
  isTaken: (number: number) => boolean,
  chance: number,
): number | undefined => {
  const size = last - first + 1;
  const start = Math.floor(chance * size);
  for (let step = 0; step < size; step++) {
    const number = first + ((start + step) % size);
    if (!isTaken(number)) return number;
  }
  return undefined;
};

/** Any free number; undefined when there is none. `chance` is in [0, 1). */
export const freeNumber = (
  { first, last, reserved }: NumberRange,
  isTaken: (number: number) => boolean,
  chance: number,
): number | undefined =>
  freeBetween(first + reserved, last, isTaken, chance) ??
  freeBetween(first, first + reserved - 1, isTaken, chance);

const between = (least: number, number: number, most: number): number =>
  Math.min(Math.max(least, number), most);

export const NODE_PORTS: NumberRange = { first: 30_000, last: 32_767, reserved: 86 };

const SMALLEST = 16;

/** The addresses of a block such as `10.96.0.0/12`, without that of the network and the broadcast. */
export const addressesOf = (network: number, bits: number): NumberRange => {
  const size = 2 ** (32 - bits);
  const first = network + 1;
  const reserved = size <= SMALLEST ? 0 : between(SMALLEST, Math.floor(size / 16), 256);
  return { first, last: network + size - 2, reserved };
};
