import { compareVersions } from '../discovery/version-order.ts';
import type { Crd, CrdVersion } from './crd.ts';

/** What whoever uses a version is warned of: that it is deprecated, and which one to use instead. */
export const deprecationOf = (
  { group, names, versions }: Crd,
  { name, deprecated, deprecationWarning }: CrdVersion,
): string | undefined => {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [better] = versions
    .filter((other) => other.served && !other.deprecated)
    .map((other) => other.name)
    .filter((other) => compareVersions(other, name) < 0)
    .sort(compareVersions);
  const named = (version: string): string => `${group}/${version} ${names.kind}`;
  const instead = better === undefined ? '' : `; use ${named(better)}`;
  return `${named(name)} is deprecated${instead}`;
};
