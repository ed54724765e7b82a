import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { Finding } from '@perigee/scheduling/clusters/inventory/finding';
import { type ChangeListener, ChangeListeners } from '../../../members/change-listeners.ts';
import { SecretInformers } from '../../../members/secret-informers.ts';
import type { Southbound } from '../southbound.ts';
import { troubleOf } from '../trouble-of.ts';
import { OpenStackClient } from './openstack-client.ts';
import { openStackCredentials } from './openstack-credentials.ts';
import { readCloud } from './read-cloud.ts';

export interface OpenStackSouthboundOptions {
  /** The client of the control plane, for reading Secrets. */
  readonly client: Client;
  readonly clock: Clock;
  /** Time limit for all requests of a probe. */
  readonly timeoutMs?: number;
}

interface Connection {
  /** The settings that the client was created from. */
  readonly settings: string;
  readonly client: OpenStackClient;
}

/** OpenStack clouds: their capacity is counted, but no Kubernetes object is sent there. */
export class OpenStackSouthbound implements Southbound, AsyncDisposable {
  readonly keepsTargets = false;
  readonly #options: OpenStackSouthboundOptions;
  readonly #timeoutMs: number;
  readonly #listeners = new ChangeListeners();
  readonly #secrets: SecretInformers;
  readonly #connections = new Map<string, Connection>();
  /** For each Secret, the clusters that use it, with the version they read. */
  readonly #readers = new Map<string, Map<string, string>>();
  readonly #secretOfCluster = new Map<string, string>();

  constructor(options: OpenStackSouthboundOptions) {
    const { client, clock, timeoutMs = 20_000 } = options;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#secrets = new SecretInformers({
      client,
      clock,
      onChange: (secret) => this.#notify(secret),
    });
  }

  async probe(
    record: ClusterRecord,
    _target: unknown,
    { signal: parent }: { readonly signal: AbortSignal },
  ): Promise<Finding> {
    const { clock } = this.#options;
    using deadline = deadlineAfter(clock, this.#timeoutMs, parent);
    try {
      const secret = await this.#secretOf(record, deadline.signal);
      if (!('data' in secret)) return secret;
      const offer = await readCloud(this.#clientFor(record, secret), deadline.signal);
      return { kind: 'well', atMs: clock.now(), offer };
    } catch (error) {
      parent.throwIfAborted();
      return troubleOf(error);
    }
  }

  forget(name: string): void {
    this.#noteRead(name, undefined, '');
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    void connection?.client[Symbol.asyncDispose]();
  }

  onChange(listener: ChangeListener): Disposable {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#secrets[Symbol.asyncDispose]();
    for (const name of [...this.#connections.keys()]) this.forget(name);
  }

  async #secretOf(
    { metadata, spec: { secretRef } }: ClusterRecord,
    signal: AbortSignal,
  ): Promise<(Secret & { readonly data: object }) | Finding> {
    if (secretRef === undefined) {
      return {
        kind: 'trouble',
        reason: 'CredentialsMissing',
        message: `spec.secretRef names no Secret: put authUrl and an application credential into one and name it in cluster ${metadata.name}`,
      };
    }
    const key = objectKey(secretRef);
    // Starts the watch, so that a later change, or a late creation, is noticed.
    this.#secrets.get(secretRef);
    const secret = await getOrUndefined(this.#options.client, Secret, secretRef, { signal });
    this.#noteRead(metadata.name, key, secret?.metadata.resourceVersion ?? '');
    if (secret === undefined) {
      return {
        kind: 'trouble',
        reason: 'SecretMissing',
        message: `there is no Secret ${key}, which spec.secretRef names: create it with authUrl, applicationCredentialId and applicationCredentialSecret`,
      };
    }
    return { ...secret, data: secret.data ?? {} };
  }

  /** Reuses the client, with its token, while the credentials are unchanged. */
  #clientFor(record: ClusterRecord, secret: Secret): OpenStackClient {
    const { name } = record.metadata;
    const credentials = openStackCredentials(record, secret);
    const settings = JSON.stringify(credentials);
    const connection = this.#connections.get(name);
    if (connection?.settings === settings) return connection.client;
    void connection?.client[Symbol.asyncDispose]();
    const client = new OpenStackClient(credentials, this.#options.clock);
    this.#connections.set(name, { settings, client });
    return client;
  }

  #noteRead(cluster: string, key: string | undefined, version: string): void {
    const before = this.#secretOfCluster.get(cluster);
    if (before !== undefined && before !== key) this.#readers.get(before)?.delete(cluster);
    if (key === undefined) {
      this.#secretOfCluster.delete(cluster);
      return;
    }
    this.#secretOfCluster.set(cluster, key);
    const readers = this.#readers.get(key) ?? new Map<string, string>();
    this.#readers.set(key, readers.set(cluster, version));
  }

  #notify({ metadata }: Secret): void {
    for (const [cluster, version] of this.#readers.get(objectKey(metadata)) ?? []) {
      if (version !== metadata.resourceVersion) this.#listeners.notify(cluster);
    }
  }
}
