import type { ApiResource } from './discovery.ts';

/** The version that the server prefers; failing that, its first. */
const best = (matches: readonly ApiResource[]): ApiResource | undefined => {
  const [first] = matches;
  const ofGroup = matches.filter((r) => r.group === first?.group);
  return ofGroup.find((r) => r.preferred) ?? first;
};

/** Finds a kind as an object names it. */
export const findByKind = (
  resources: readonly ApiResource[],
  apiVersion: string,
  kind: string,
): ApiResource | undefined => {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return resources.find((r) => r.kind === kind && r.version === version && r.group === group);
};

type Matches = (resource: ApiResource) => boolean;

/** Full names come before short ones, so that nobody's short name can hide a resource. */
const findInGroups = (
  resources: readonly ApiResource[],
  name: string,
  inGroups: Matches,
): ApiResource | undefined => {
  const candidates = resources.filter(inGroups);
  const byFullName = candidates.filter(
    (r) => r.plural === name || r.singular === name || r.kind.toLowerCase() === name,
  );
  return best(byFullName) ?? best(candidates.filter((r) => r.shortNames.includes(name)));
};

/**
 * Finds a resource as a user names it, as kubectl does: `deploy`, `deployment`, `deployments`,
 * `Deployment`, `deployments.apps`, `deployments.v1.apps`. Of several groups that have it, the one that
 * the server lists first wins.
 */
export const findByName = (
  resources: readonly ApiResource[],
  name: string,
): ApiResource | undefined => {
  const [bare = '', ...rest] = name.toLowerCase().split('.');
  if (rest.length === 0) return findInGroups(resources, bare, () => true);
  const [version, ...afterVersion] = rest;
  const group = afterVersion.join('.');
  const groupWithoutVersion = rest.join('.');
  return (
    findInGroups(resources, bare, (r) => r.version === version && r.group === group) ??
    findInGroups(resources, bare, (r) => r.group === groupWithoutVersion) ??
    findInGroups(resources, bare, (r) => r.group.startsWith(groupWithoutVersion))
  );
};
