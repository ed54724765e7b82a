/** A semantic version, without its build data. */
export interface Semver {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];
}

const NUMBER = '(0|[1-9]\\d{0,19})';
const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIERS}))?(?:\\+${IDENTIFIERS})?$`,
);

/** Reads a version such as `1.2.3-alpha.1+build`. */
export const parseSemver = (text: string): Semver | undefined => {
  const [match, major = '', minor = '', patch = '', prerelease] = SEMVER.exec(text) ?? [];
  if (match === undefined) return undefined;
  const identifiers = prerelease === undefined ? [] : prerelease.split('.');
  if (identifiers.some((identifier) => /^0\d+$/.test(identifier))) return undefined;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease: identifiers };
};

/** Takes `v1.2` for `1.2.0`, and drops leading zeros. */
export const normaliseSemver = (text: string): string => {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const patch = rest.length === 0 ? undefined : rest.join('.');
  const isShort = minor === undefined || patch === undefined;
  if (isShort && /[+-]/.test(minor ?? major)) return text;
  return [major, minor ?? '0', patch ?? '0'].map((part) => part.replace(/^0+(?=\d)/, '')).join('.');
};

const compareIdentifiers = (a: string, b: string): number => {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Versions by precedence: a pre-release comes before its release, and build data do not count. */
export const compareSemvers = (a: Semver, b: Semver): number => {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (const [index, identifier] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    const order = other === undefined ? 1 : compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
};
