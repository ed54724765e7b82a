const plain = (address: string): string =>
  URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address;

/** Whether two addresses of a server are the same, however they are written. */
export const isSameAddress = (a: string, b: string): boolean => plain(a) === plain(b);
