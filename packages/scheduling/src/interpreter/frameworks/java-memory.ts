/** The JVM's megabyte is a mebibyte. */
const UNITS: { readonly [unit: string]: number } = {
  b: 1 / 1024 ** 2,
  k: 1 / 1024,
  kb: 1 / 1024,
  m: 1,
  mb: 1,
  g: 1024,
  gb: 1024,
  t: 1024 ** 2,
  tb: 1024 ** 2,
  p: 1024 ** 3,
  pb: 1024 ** 3,
};

/** Parses `512m` or `1.5g` to mebibytes; undefined if invalid. */
export const javaMebibytes = (text: string): number | undefined => {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(text.toLowerCase()) ?? [];
  const scale = UNITS[unit];
  return amount === '' || scale === undefined ? undefined : Number(amount) * scale;
};
