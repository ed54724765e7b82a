import { ClusterRecord, type ClusterWritten } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, WriteOptions } from '@perigee/kube/client/client';
import { isAlreadyExists } from '@perigee/kube/errors';
import { RegistrationError } from '@perigee/registration/errors';
import { isDescribedAs, refuseLeaving } from '@perigee/registration/operations/described-as';
import {
  type Unregistration,
  unregisterCluster,
} from '@perigee/registration/operations/unregister-cluster';
import { present } from '@perigee/schema/present';
import type { Connection } from '../connection.ts';
import { Resources, type SpecOf, signalOf, type WaitOptions } from './resources.ts';

export interface RegisterClusterOptions extends CallOptions {
  readonly labels?: { readonly [key: string]: string };
  /** Runs all checks without registering. */
  readonly dryRun?: boolean;
}

/** The field manager of the REST API, so that both can change the same fields without conflicts. */
const MANAGER = 'perigee-registration';

/** The inventory. */
export class Clusters extends Resources<typeof ClusterRecord> {
  constructor(connection: Connection) {
    super(connection, ClusterRecord);
  }

  /**
   * Registers a cluster; an identical registration is left as it is.
   * @throws `RegistrationError` when another cluster has the name.
   */
  async register(
    name: string,
    spec: SpecOf<typeof ClusterRecord>,
    { labels, dryRun = false, signal }: RegisterClusterOptions = {},
  ): Promise<ClusterRecord> {
    const cluster = { metadata: { name, ...present({ labels }) }, spec };
    return this.#register(cluster, { dryRun, ...present({ signal }) });
  }

  /**
   * Unregisters a cluster once its work has moved away. With `force` its work is not checked.
   * @throws `RegistrationError` when work cannot move.
   */
  async unregister(
    name: string,
    { force = false, signal }: CallOptions & { readonly force?: boolean } = {},
  ): Promise<Unregistration> {
    const client = await this.connection.client();
    return unregisterCluster(client, { name }, { force, ...present({ signal }) });
  }

  /** Waits until a cluster is Ready. */
  ready(name: string, options: WaitOptions = {}): Promise<ClusterRecord> {
    return this.until(name, ({ status }) => status?.phase === 'Ready', options);
  }

  /** Left to the server, which knows all spellings of the kind and returns the normalised record. */
  async #register(cluster: ClusterWritten, options: WriteOptions): Promise<ClusterRecord> {
    const client = await this.connection.client();
    try {
      return await client.create(ClusterRecord, cluster, { ...options, fieldManager: MANAGER });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const { name = '' } = cluster.metadata;
    const presentRecord = await client.get(ClusterRecord, { name }, signalOf(options));
    refuseLeaving(presentRecord);
    const { resourceVersion } = presentRecord.metadata;
    const written = { ...cluster, metadata: { ...cluster.metadata, resourceVersion } };
    const desiredRecord = await client.update(ClusterRecord, written, { ...options, dryRun: true });
    if (isDescribedAs(presentRecord, desiredRecord)) return presentRecord;
    throw new RegistrationError(
      'NameTaken',
      `the name ${name} is taken by a cluster that is described otherwise: change that one, choose another name, or unregister it first`,
    );
  }
}
