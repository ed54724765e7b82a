import { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { isNotFound } from '@perigee/kube/errors';
import { RegistrationError } from '../errors.ts';
import { type ClusterRef, describeRef, waysToFind } from './cluster-ref.ts';

type Reader = Pick<Client, 'get' | 'list'>;

const byName = async (
  client: Reader,
  name: string,
  options: CallOptions,
): Promise<Cluster | undefined> => {
  try {
    return await client.get(Cluster, { name }, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** The id is `metadata.uid`, and no API server selects by that: pages are read until it is found. */
const byId = async (
  client: Reader,
  id: string,
  options: CallOptions,
): Promise<Cluster | undefined> => {
  for await (const { items } of listPages(client, Cluster, options)) {
    const found = items.find(({ metadata }) => metadata.uid === id);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * The record of a cluster. By name it costs one request. By id it costs a list, 500 records at a time,
 * that ends where the cluster is found. Throws a `RegistrationError`: `NotRegistered`, or `BadReference`
 * for what can be neither a name nor an id.
 */
export const getCluster = async (
  client: Reader,
  ref: ClusterRef,
  options: CallOptions = {},
): Promise<Cluster> => {
  for (const way of waysToFind(ref)) {
    const found =
      'name' in way ? await byName(client, way.name, options) : await byId(client, way.id, options);
    if (found !== undefined) return found;
  }
  throw new RegistrationError('NotRegistered', `there is no ${describeRef(ref)}`);
};
