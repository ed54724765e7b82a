import type { Kubeconfig } from './kubeconfig.ts';

const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> => {
  const entriesByName = new Map<string, T>();
  for (const [name, entry] of maps.flatMap((map) => [...map])) {
    if (!entriesByName.has(name)) entriesByName.set(name, entry);
  }
  return entriesByName;
};

/** Merges as kubectl does: an entry belongs wholly to the first file that has one of its name. */
export const mergeKubeconfigs = (configs: readonly Kubeconfig[]): Kubeconfig => ({
  files: configs.flatMap(({ files }) => files),
  currentContext: configs.find(({ currentContext }) => currentContext)?.currentContext,
  contexts: firstWins(configs.map(({ contexts }) => contexts)),
  clusters: firstWins(configs.map(({ clusters }) => clusters)),
  users: firstWins(configs.map(({ users }) => users)),
});
