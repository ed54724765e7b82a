const ADDRESSES = 2 ** 24;

const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value >>> 0;
};

/** An address in 10.0.0.0/8 that follows from the pod, or the next one that nobody has. */
export const podAddress = (uid: string, isTaken: (address: string) => boolean): string => {
  const first = hash(uid) % ADDRESSES;
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
