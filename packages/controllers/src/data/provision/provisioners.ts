import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import { Informer } from '@perigee/kube/informer/informer';
import { Metrics } from '@perigee/kube/observe/metrics';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import {
  type ProvisionerConfig,
  type ProvisionerConfigs,
  readProvisioners,
} from '@perigee/scheduling/data/provision/provisioner-config';
import { sameJson } from '@perigee/schema/same-json';
import { type ChangeListener, ChangeListeners } from '../../members/change-listeners.ts';
import { SecretInformers } from '../../members/secret-informers.ts';
import { Provisioner } from './provisioner.ts';
import { type ProvisionerCredentials, provisionerCredentials } from './provisioner-credentials.ts';
import { ProvisionerMetrics } from './provisioner-metrics.ts';

/** Only operators may write this ConfigMap: it decides which addresses are called, and where data is. */
export const PLUGINS = { namespace: 'volcano-global', name: 'volcano-global-datasource-plugins' };

export interface ProvisionersOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Registry for metrics; none by default. */
  readonly metrics?: Metrics;
}

interface Opened {
  readonly config: ProvisionerConfig;
  readonly credentials: ProvisionerCredentials;
  readonly provisioner: Provisioner;
}

/** The provisioner of a system, or the problem with it; undefined when none is configured. */
export type FoundProvisioner =
  | { readonly provisioner: Provisioner; readonly problem?: undefined }
  /** No problem while its Secrets are being read. */
  | { readonly provisioner?: undefined; readonly problem?: string };

const NONE: ProvisionerConfigs = readProvisioners({});

/**
 * The provisioners in the operator's ConfigMap. Each has a connection of its own, which is reopened when its entry
 * or its Secrets change. Listeners get the name of the system.
 */
export class Provisioners implements AsyncDisposable {
  readonly #options: ProvisionersOptions;
  readonly #listeners = new ChangeListeners();
  readonly #configMaps: Informer<ConfigMap>;
  readonly #secrets: SecretInformers;
  readonly #openProvisioners = new Map<string, Opened>();
  readonly #closing = new Set<Promise<void>>();
  readonly #metrics: ProvisionerMetrics;
  #configs = NONE;
  #lookWithSecrets: Promise<void> | undefined;
  #problems: ReadonlyMap<string, string> = NONE.problems;

  constructor(options: ProvisionersOptions) {
    const { client, clock, metrics = new Metrics() } = options;
    this.#options = options;
    this.#metrics = new ProvisionerMetrics(metrics, clock);
    const { namespace, name } = PLUGINS;
    const selection = { namespace, fieldSelector: `metadata.name=${name}` };
    this.#configMaps = new Informer({ client, clock, kind: ConfigMap, selection });
    this.#secrets = new SecretInformers({ client, clock, onChange: () => this.#refresh() });
    const refresh = () => {
      this.#configs = readProvisioners(this.configMap?.data ?? {});
      this.#refresh();
    };
    this.#configMaps.addHandler({ onAdd: refresh, onUpdate: refresh, onDelete: refresh });
    this.#configMaps.start();
  }

  /** The ConfigMap; undefined if it does not exist. */
  get configMap(): ConfigMap | undefined {
    return this.#configMaps.get(PLUGINS);
  }

  /** Configuration errors, by key of the entry. */
  get problems(): ReadonlyMap<string, string> {
    return this.#problems;
  }

  of(system: string): FoundProvisioner | undefined {
    const entry = this.#openProvisioners.get(system);
    if (entry !== undefined) return entry;
    const key = this.#configs.bySystem.get(system)?.key ?? this.#configs.wrongSystems.get(system);
    if (key === undefined) return undefined;
    const problem = this.#problems.get(key);
    return problem === undefined
      ? {}
      : {
          problem: `the operator has to correct ${key} in the ConfigMap ${PLUGINS.namespace}/${PLUGINS.name}: ${problem}`,
        };
  }

  /** Resolves after the first read of the configuration. */
  get synced(): Promise<void> {
    return this.#configMaps.synced;
  }

  onChange(listener: ChangeListener): Disposable {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#configMaps.stop(), this.#secrets[Symbol.asyncDispose]()]);
    for (const system of [...this.#openProvisioners.keys()]) this.#close(system);
    await Promise.all(this.#closing);
  }

  #refresh(): void {
    const { bySystem, problems, wrongSystems } = this.#configs;
    const all = new Map(problems);
    const changedSystems = new Set(wrongSystems.keys());
    for (const system of [...this.#openProvisioners.keys()]) {
      if (bySystem.has(system)) continue;
      this.#close(system);
      this.#metrics.forget(system);
      changedSystems.add(system);
    }
    for (const [system, config] of bySystem) {
      if (this.#awaitsSecrets(config)) continue;
      const problem = this.#open(config, () => changedSystems.add(system));
      if (problem !== undefined) all.set(config.key, problem);
    }
    this.#problems = all;
    for (const system of changedSystems) this.#listeners.notify(system);
  }

  /** A Secret that has not been read yet does not count as missing. */
  #awaitsSecrets({ auth, tls }: ProvisionerConfig): boolean {
    const { namespace } = PLUGINS;
    if (auth.secret === undefined && tls.secret === undefined) return false;
    if (this.#secrets.hasSynced(namespace)) return false;
    this.#lookWithSecrets ??= this.#secrets.synced(namespace).then(
      () => this.#refresh(),
      () => {},
    );
    return true;
  }

  /** Reopens the connection if anything changed. Returns the problem, if there is one. */
  #open(config: ProvisionerConfig, notify: () => void): string | undefined {
    const { system } = config;
    const { namespace } = PLUGINS;
    const entry = this.#openProvisioners.get(system);
    try {
      const credentials = provisionerCredentials(config, (name) =>
        this.#secrets.get({ namespace, name }),
      );
      const isSame =
        entry !== undefined &&
        sameJson(entry.config as never, config as never) &&
        sameJson(entry.credentials as never, credentials as never);
      if (isSame) return undefined;
      this.#close(system);
      const provisioner = new Provisioner(config, credentials, {
        clock: this.#options.clock,
        metrics: this.#metrics,
      });
      this.#openProvisioners.set(system, { config, credentials, provisioner });
      notify();
      return undefined;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#close(system);
      notify();
      return error.message;
    }
  }

  #close(system: string): void {
    const entry = this.#openProvisioners.get(system);
    if (entry === undefined) return;
    this.#openProvisioners.delete(system);
    const closing = entry.provisioner[Symbol.asyncDispose]().finally(() =>
      this.#closing.delete(closing),
    );
    this.#closing.add(closing);
  }
}
