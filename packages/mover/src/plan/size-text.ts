const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** A size for people: 1.4GiB. */
export const sizeText = (bytes: number): string => {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(1))}${UNITS[unit]}`;
};
