import { ClusterRecord, type ClusterWritten } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, WriteOptions } from '@perigee/kube/client/client';
import { isAlreadyExists } from '@perigee/kube/errors';
import { RegistrationError } from '@perigee/registration/errors';
import { isDescribedAs, refuseLeaving } from '@perigee/registration/operations/described-as';
import {
  type Unregistration,
  unregisterCluster,
} from '@perigee/registration/operations/unregister-cluster';
import type { Connection } from '../connection.ts';
import { Resources, type SpecOf, signalOf, type WaitOptions } from './resources.ts';

export interface RegisterClusterOptions extends CallOptions {
  readonly labels?: { readonly [key: string]: string };
  /** Checks everything, and registers nothing. */
  readonly dryRun?: boolean;
}

/** As the front desk itself: later changes by either are changes by the same. */
const MANAGER = 'perigee-registration';

/** The inventory. */
export class Clusters extends Resources<typeof ClusterRecord> {
  constructor(connection: Connection) {
    super(connection, ClusterRecord);
  }

  /**
   * Registers a cluster; one that is registered just so already is left as it is.
   * @throws `RegistrationError` when the name is taken by another one.
   */
  async register(
    name: string,
    spec: SpecOf<typeof ClusterRecord>,
    { labels, dryRun = false, signal }: RegisterClusterOptions = {},
  ): Promise<ClusterRecord> {
    const cluster = { metadata: { name, ...(labels && { labels }) }, spec };
    return this.#register(cluster, { dryRun, ...(signal === undefined ? {} : { signal }) });
  }

  /**
   * Takes a cluster out of the inventory, once its work is elsewhere. By force, nobody asks about work.
   * @throws `RegistrationError` when work cannot go anywhere else.
   */
  async unregister(
    name: string,
    { force = false, signal }: CallOptions & { readonly force?: boolean } = {},
  ): Promise<Unregistration> {
    const client = await this.connection.client();
    return unregisterCluster(
      client,
      { name },
      { force, ...(signal === undefined ? {} : { signal }) },
    );
  }

  /** Waits until a cluster can be used. */
  ready(name: string, options: WaitOptions = {}): Promise<ClusterRecord> {
    return this.until(name, ({ status }) => status?.phase === 'Ready', options);
  }

  /** The server knows all spellings of the kind, and tells what a description comes to. */
  async #register(cluster: ClusterWritten, options: WriteOptions): Promise<ClusterRecord> {
    const client = await this.connection.client();
    try {
      return await client.create(ClusterRecord, cluster, { ...options, fieldManager: MANAGER });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const { name = '' } = cluster.metadata;
    const present = await client.get(ClusterRecord, { name }, signalOf(options));
    refuseLeaving(present);
    const wanted = await client.update(ClusterRecord, cluster, { ...options, dryRun: true });
    if (isDescribedAs(present, wanted)) return present;
    throw new RegistrationError(
      'NameTaken',
      `the name ${name} is taken by a cluster that is described otherwise: change that one, choose another name, or unregister it first`,
    );
  }
}
