const plain = (address: string): string =>
  URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address;

/** Compares two server addresses in normalised form. */
export const isSameAddress = (a: string, b: string): boolean => plain(a) === plain(b);
