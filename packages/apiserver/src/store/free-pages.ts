/**
 * The free pages in a record of LMDB's free list: the number of words, and then page numbers. A negative word
 * counts the pages that follow the next one; a zero has no meaning.
 */
export function* freePages(value: Buffer): Generator<number> {
  const words = value.length < 8 ? -1 : Number(value.readBigInt64LE(0));
  if (words < 0 || (words + 1) * 8 > value.length) {
    yield Number.NaN;
    return;
  }
  for (let at = 1; at <= words; at++) {
    const word = Number(value.readBigInt64LE(at * 8));
    if (word === 0) continue;
    if (word > 0) {
      yield word;
      continue;
    }
    at++;
    const first = at <= words ? Number(value.readBigInt64LE(at * 8)) : Number.NaN;
    if (!(first > 0) || -word > MOST_PAGES) {
      yield Number.NaN;
      return;
    }
    for (let page = first; page < first - word; page++) yield page;
  }
}

const MOST_PAGES = 2 ** 35;
