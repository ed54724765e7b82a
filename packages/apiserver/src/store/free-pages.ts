/**
 * The pages that LMDB may write next, as a record of its free list names them: how many words follow, and
 * then page numbers. A negative word says how many pages follow on the one behind it; a zero says nothing.
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
