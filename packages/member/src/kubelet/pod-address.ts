import { hashText } from '../pods/hash-text.ts';

const ADDRESSES = 2 ** 24;

/** An address in 10.0.0.0/8 derived from the uid; the next free one if taken. */
export const podAddress = (uid: string, isTaken: (address: string) => boolean): string => {
  const first = hashText(uid) % ADDRESSES;
  for (let step = 0; step < ADDRESSES; step++) {
    const number = (first + step) % ADDRESSES;
    const last = number & 255;
    if (last === 0 || last === 255) continue;
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${last}`;
    if (!isTaken(address)) return address;
  }
  throw new RangeError(
    'all addresses of pods are taken: there are more pods than 10.0.0.0/8 holds',
  );
};
