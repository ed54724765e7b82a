import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listPages } from '@perigee/kube/client/list-pages';
import { RegistrationError } from '../errors.ts';
import { type ClusterRef, describeRef, waysToFind } from './cluster-ref.ts';
import type { KnownIds } from './known-ids.ts';

export interface GetClusterOptions extends CallOptions {
  /** For whoever looks up many ids. */
  readonly knownIds?: KnownIds;
}

type Reader = Pick<Client, 'get' | 'list'>;

const byName = (
  client: Reader,
  name: string,
  options: CallOptions,
): Promise<ClusterRecord | undefined> => getOrUndefined(client, ClusterRecord, { name }, options);

/** The id is `metadata.uid`, and no API server selects by that: pages are read until it is found. */
const byId = async (
  client: Reader,
  id: string,
  { knownIds, ...options }: GetClusterOptions,
): Promise<ClusterRecord | undefined> => {
  const name = knownIds?.nameOf(id);
  const likely = name === undefined ? undefined : await byName(client, name, options);
  if (likely?.metadata.uid === id) return likely;
  for await (const { items } of listPages(client, ClusterRecord, options)) {
    for (const cluster of items) knownIds?.see(cluster);
    const found = items.find(({ metadata }) => metadata.uid === id);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * The record of a cluster. By name it costs one request. By id it costs a list, 500 records at a time,
 * that ends where the cluster is found; one request if the id is among those known. Throws a
 * `RegistrationError`: `NotRegistered`, or `BadReference` for what can be neither a name nor an id.
 */
export const getCluster = async (
  client: Reader,
  ref: ClusterRef,
  options: GetClusterOptions = {},
): Promise<ClusterRecord> => {
  const { knownIds, ...call } = options;
  for (const way of waysToFind(ref)) {
    const found =
      'name' in way ? await byName(client, way.name, call) : await byId(client, way.id, options);
    if (found !== undefined) return found;
  }
  throw new RegistrationError('NotRegistered', `there is no ${describeRef(ref)}`);
};
