import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isNotServed } from '@perigee/kube/errors';

const inventory = (kind: string, plural: string): ResourceKind => ({
  group: 'globalscheduler.com',
  version: 'v1',
  kind,
  plural,
  scope: 'Cluster',
});

const BINDINGS: ResourceKind = {
  group: 'work.karmada.io',
  version: 'v1alpha2',
  kind: 'ResourceBinding',
  plural: 'resourcebindings',
  scope: 'Namespaced',
};
const CLUSTERS = inventory('Cluster', 'clusters');
const SCHEDULERS = inventory('Scheduler', 'schedulers');

/**
 * Words that resolve without discovery, which saves two requests. Two groups have clusters; the plain word means
 * the registered ones. The core group's Binding cannot be read at all.
 */
const BY_WORD: ReadonlyMap<string, ResourceKind> = new Map([
  ['binding', BINDINGS],
  ['bindings', BINDINGS],
  ['cluster', CLUSTERS],
  ['clusters', CLUSTERS],
  ['scheduler', SCHEDULERS],
  ['schedulers', SCHEDULERS],
]);

/** The kind that Perigee gives to a plain word, if any. */
export const meantByWord = (word: string): ResourceKind | undefined =>
  BY_WORD.get(word.toLowerCase());

const discovered = async (
  client: Pick<Client, 'discover'>,
  name: string,
  options?: CallOptions,
): Promise<ResourceKind> => {
  const { RestMapper } = await import('@perigee/kube/client/rest-mapper');
  return new RestMapper(client).byName(name, options);
};

/**
 * Calls `use` with the kind of a name. If the server does not serve Perigee's meaning of the word, discovery
 * decides.
 */
export const withResource = async <T>(
  client: Pick<Client, 'discover'>,
  name: string,
  use: (resource: ResourceKind) => Promise<T>,
  options?: CallOptions,
): Promise<T> => {
  const wellKnownResource = meantByWord(name);
  if (wellKnownResource === undefined) return use(await discovered(client, name, options));
  try {
    return await use(wellKnownResource);
  } catch (error) {
    if (!isNotServed(error)) throw error;
    return use(await discovered(client, name, options));
  }
};

/** Kind, group and name in kubectl's form, such as `deployment.apps/web`. */
export const qualifiedName = ({ kind, group }: ResourceKind, name: string): string =>
  `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
