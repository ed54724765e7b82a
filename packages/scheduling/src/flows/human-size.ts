export type Bytes = number | bigint;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** As Fluid writes sizes: 1.21GiB. */
export const humanSize = (bytes: Bytes): string => {
  let [size, unit] = [Number(bytes), 0];
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size.toFixed(2)}${UNITS[unit]}`;
};
