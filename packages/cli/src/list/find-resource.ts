import type { CallOptions, Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import { findByName } from '@perigee/kube/client/resource-lookup';
import { RestMapper } from '@perigee/kube/client/rest-mapper';

/** Two groups have clusters; the plain word means those that were registered. */
const REGISTERED = 'clusters.globalscheduler.com';
const CLUSTER_WORDS: ReadonlySet<string> = new Set(['cluster', 'clusters']);

/** The kind that a user means, by any of its names. */
export const findResource = async (
  client: Pick<Client, 'discover'>,
  name: string,
  options: CallOptions = {},
): Promise<ApiResource> => {
  const all = await client.discover(options);
  const preferred = CLUSTER_WORDS.has(name.toLowerCase()) ? findByName(all, REGISTERED) : undefined;
  if (preferred !== undefined) return preferred;
  const known = { discover: () => Promise.resolve(all) };
  return new RestMapper(known).byName(name);
};

/** A kind and a name in one word, as kubectl prints them. */
export const qualifiedName = ({ kind, group }: ApiResource, name: string): string =>
  `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
