import type { Entry } from '../store/store.ts';

/** Limits of the work per turn of the event loop. */
export interface SliceLimits {
  /** Size of the stored objects; a single one may be larger. */
  readonly bytes: number;
  readonly entries: number;
}

/** For reading objects that may have to be parsed first: some 100 bytes take a microsecond. */
export const READ_SLICE: SliceLimits = { bytes: 512 * 1024, entries: 2000 };
/** For encoding objects as JSON. */
export const WRITE_SLICE: SliceLimits = { bytes: 128 * 1024, entries: 500 };
/** For encoding objects as YAML, where some 15 bytes take a microsecond. */
export const YAML_SLICE: SliceLimits = { bytes: 32 * 1024, entries: 500 };

/** Cuts entries into pieces that each take little time to work on. */
export function* entrySlices(
  entries: readonly Entry[],
  limits: SliceLimits,
): Generator<readonly Entry[]> {
  let start = 0;
  let bytes = 0;
  for (const [at, entry] of entries.entries()) {
    const size = entry.bytes.length;
    const isFull = bytes + size > limits.bytes || at - start >= limits.entries;
    if (isFull && at > start) {
      yield entries.slice(start, at);
      start = at;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < entries.length) yield entries.slice(start);
}

/** True if entries are so few and small that they need not be cut. */
export const fitsInOne = (entries: readonly Entry[], limits: SliceLimits): boolean => {
  const { done, value } = entrySlices(entries, limits).next();
  return done === true || value.length === entries.length;
};
