import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listPages } from '@perigee/kube/client/list-pages';
import { RegistrationError } from '../errors.ts';
import { type ClusterRef, describeRef, lookupsFor } from './cluster-ref.ts';
import type { KnownIds } from './known-ids.ts';

export interface GetClusterOptions extends CallOptions {
  /** A cache of ids, for callers that look up many. */
  readonly knownIds?: KnownIds;
}

type Reader = Pick<Client, 'get' | 'list'>;

const byName = (
  client: Reader,
  name: string,
  options: CallOptions,
): Promise<ClusterRecord | undefined> => getOrUndefined(client, ClusterRecord, { name }, options);

/** No API server selects by `metadata.uid`, so pages are read until the record turns up. */
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
    const foundRecord = items.find(({ metadata }) => metadata.uid === id);
    if (foundRecord !== undefined) return foundRecord;
  }
  return undefined;
};

/**
 * Reads the record of a cluster. By name it costs one request. By id it costs one request if the cache has
 * the id, otherwise a list in pages of 500 records that stops at the cluster. Throws a `RegistrationError`:
 * `NotRegistered`, or `BadReference` for a text that is neither a valid name nor a valid id.
 */
export const getCluster = async (
  client: Reader,
  ref: ClusterRef,
  options: GetClusterOptions = {},
): Promise<ClusterRecord> => {
  const { knownIds, ...call } = options;
  for (const lookup of lookupsFor(ref)) {
    const foundRecord =
      'name' in lookup
        ? await byName(client, lookup.name, call)
        : await byId(client, lookup.id, options);
    if (foundRecord !== undefined) return foundRecord;
  }
  throw new RegistrationError('NotRegistered', `there is no ${describeRef(ref)}`);
};
