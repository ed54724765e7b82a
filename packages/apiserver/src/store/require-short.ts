/** More than the longest names that Kubernetes allows, and less than any engine refuses. */
const LONGEST_KEY_BYTES = 950;

/** One key that an engine refuses would fail all writes of its batch. */
export const requireShort = (table: string, key: string): void => {
  if (Buffer.byteLength(table) + Buffer.byteLength(key) <= LONGEST_KEY_BYTES) return;
  const start = `${table} ${key}`.slice(0, 60);
  throw new RangeError(`the key ${start}… is longer than ${LONGEST_KEY_BYTES} bytes`);
};
