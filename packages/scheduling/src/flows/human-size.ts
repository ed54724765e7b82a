export type Bytes = number | bigint;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** As Fluid writes sizes: 1.21GiB. */
export const humanSize = (bytes: Bytes): string => {
  let [left, unit] = [Number(bytes), 0];
  while (left >= 1024 && unit < UNITS.length - 1) {
    left /= 1024;
    unit += 1;
  }
  return `${left.toFixed(2)}${UNITS[unit]}`;
};
