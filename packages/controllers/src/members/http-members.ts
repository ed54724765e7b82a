import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import type { Clock } from '@perigee/kube/clock/clock';
import { Informer } from '@perigee/kube/informer/informer';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { Logger } from '@perigee/kube/observe/logger';
import type { Secret } from '@perigee/kubernetes/core/secret';
import { type ChangeListener, ChangeListeners } from './change-listeners.ts';
import type { MemberClients } from './member-clients.ts';
import { memberConfig, routeTo } from './member-config.ts';
import { memberMessage } from './member-message.ts';
import { SecretInformers } from './secret-informers.ts';

export interface HttpMembersOptions {
  /** The client of the control plane, for Clusters and their Secrets. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Connection {
  readonly settings: string;
  /** Absent while it is being opened, and when its configuration is invalid. */
  client?: Client & AsyncDisposable;
  /** The configuration error. */
  problem?: string;
}

const BY_SECRET = 'secret';

const secretKeyOf = ({ spec }: MemberCluster): string | undefined =>
  spec.secretRef && objectKey(spec.secretRef);

/**
 * Members reached over HTTP, with the credentials of their Secrets. A client is replaced when the Secret or the
 * address changes, and closed with the Cluster.
 */
export class HttpMembers implements MemberClients, AsyncDisposable {
  readonly #options: HttpMembersOptions;
  readonly #listeners = new ChangeListeners();
  readonly #clusters: Informer<MemberCluster>;
  readonly #secrets: SecretInformers;
  readonly #connections = new Map<string, Connection>();
  #disposed = false;

  constructor(options: HttpMembersOptions) {
    const { client, clock } = options;
    this.#options = options;
    this.#clusters = new Informer({ client, clock, kind: MemberCluster });
    this.#secrets = new SecretInformers({
      client,
      clock,
      onChange: ({ metadata }) => {
        for (const cluster of this.#clusters.byIndex(BY_SECRET, objectKey(metadata))) {
          this.#refresh(cluster.metadata.name);
        }
      },
    });
    this.#clusters.addIndexer(BY_SECRET, (cluster) => {
      const key = secretKeyOf(cluster);
      return key === undefined ? [] : [key];
    });
    const refresh = ({ metadata }: MemberCluster) => this.#refresh(metadata.name);
    this.#clusters.addHandler({ onAdd: refresh, onUpdate: refresh, onDelete: refresh });
    this.#clusters.start();
  }

  clientFor({ metadata }: MemberCluster): Client | undefined {
    return this.#connections.get(metadata.name)?.client;
  }

  whyNot({ metadata, spec: { secretRef } }: MemberCluster): string | undefined {
    const connection = this.#connections.get(metadata.name);
    if (connection !== undefined) return connection.problem;
    if (secretRef === undefined) return 'its spec.secretRef names no Secret with its credentials';
    return `there is no Secret ${secretRef.namespace}/${secretRef.name} with its credentials`;
  }

  onChange(listener: ChangeListener): Disposable {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await Promise.all([this.#clusters.stop(), this.#secrets[Symbol.asyncDispose]()]);
    for (const name of this.#connections.keys()) this.#disconnect(name);
  }

  #refresh(name: string): void {
    const cluster = this.#clusters.get({ name });
    const secret = cluster && this.#secretOf(cluster);
    if (cluster === undefined || secret === undefined) {
      this.#disconnect(name);
      return;
    }
    const settings = routeTo(cluster, secret);
    if (this.#connections.get(name)?.settings === settings) return;
    this.#disconnect(name);
    const connection: Connection = { settings };
    this.#connections.set(name, connection);
    void this.#connect(cluster, secret, connection);
  }

  async #connect(cluster: MemberCluster, secret: Secret, connection: Connection): Promise<void> {
    const { clock, logger } = this.#options;
    const { name } = cluster.metadata;
    try {
      const config = await memberConfig(cluster, secret, clock);
      if (this.#disposed || this.#connections.get(name) !== connection) return;
      connection.client = createHttpClient(config, { clock, logger });
      this.#listeners.notify(name);
    } catch (error) {
      logger.warn('the member cluster cannot be reached', { cluster: name, error });
      connection.problem = memberMessage(error);
      this.#listeners.notify(name);
    }
  }

  #disconnect(name: string): void {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    if (connection?.client === undefined) return;
    void connection.client[Symbol.asyncDispose]();
    this.#listeners.notify(name);
  }

  #secretOf({ spec: { secretRef } }: MemberCluster): Secret | undefined {
    return secretRef && this.#secrets.get(secretRef);
  }
}
