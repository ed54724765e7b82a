import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { ConfigFieldError } from '../../errors.ts';
import { durationAt, numberAt, objectAt, parse, textAt } from './config-fields.ts';
import type { LocationMapping } from './map-location.ts';
import {
  authOf,
  type ProvisionerAuth,
  type ProvisionerTls,
  tlsOf,
  urlOf,
} from './provisioner-endpoint.ts';
import type { RetrySettings } from './retry-delay.ts';

/** Endpoint, credentials and limits of the provisioner of one system. */
export interface ProvisionerConfig {
  /** The key of the ConfigMap entry. */
  readonly key: string;
  readonly system: string;
  readonly plugin: 'webhook' | 'amoro';
  readonly url: string;
  readonly auth: ProvisionerAuth;
  readonly tls: ProvisionerTls;
  readonly locationMapping: LocationMapping;
  readonly retry: RetrySettings;
  /** The maximum of concurrent requests. */
  readonly concurrency: number;
  /** The interval of refreshing data that was found. */
  readonly refreshMs: number;
  /** The interval of asking again for data that does not exist yet. */
  readonly recheckMs: number;
}

export interface ProvisionerConfigs {
  readonly bySystem: ReadonlyMap<string, ProvisionerConfig>;
  /** Configuration errors by key of the entry. The other entries stay in use. */
  readonly problems: ReadonlyMap<string, string>;
  /** The system of each invalid entry, where it can be read. */
  readonly wrongSystems: ReadonlyMap<string, string>;
}

/** Bounds the provisioners, so that slow ones do not block each other. */
const MOST_PROVISIONERS = 32;
const LONGEST_TIMEOUT_MS = 60_000;

const isNames = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');

const mappingOf = (entry: JsonObject): LocationMapping => {
  const mapping = objectAt(entry, 'locationMapping');
  for (const [prefix, clusters] of Object.entries(mapping)) {
    if (!isNames(clusters)) {
      throw new ConfigFieldError(
        `locationMapping[${JSON.stringify(prefix)}] must be a list of cluster names`,
      );
    }
  }
  return mapping as LocationMapping;
};

const retryOf = (entry: JsonObject): RetrySettings => {
  const retry = objectAt(entry, 'retryConfig');
  const maxRetries = numberAt(retry, 'retryConfig.maxRetries', {
    least: 0,
    most: 100,
    otherwise: 3,
  });
  const timeoutMs = durationAt(retry, 'retryConfig.timeout', '30s');
  return {
    // volcano-global takes 0 as unset, too.
    maxRetries: maxRetries || 3,
    initialBackoffMs: durationAt(retry, 'retryConfig.initialBackoff', '1s'),
    maxBackoffMs: durationAt(retry, 'retryConfig.maxBackoff', '30s'),
    backoffMultiplier: numberAt(retry, 'retryConfig.backoffMultiplier', {
      least: 1,
      most: 100,
      otherwise: 2,
    }),
    timeoutMs: Math.min(timeoutMs, LONGEST_TIMEOUT_MS),
  };
};

const pluginOf = (key: string, entry: JsonObject): ProvisionerConfig['plugin'] => {
  const plugin = textAt(entry, 'plugin') || (key === 'amoro' ? 'amoro' : 'webhook');
  if (plugin !== 'amoro' && plugin !== 'webhook')
    throw new ConfigFieldError('plugin must be webhook or amoro');
  return plugin;
};

const readEntry = (key: string, entry: JsonObject): ProvisionerConfig => {
  const endpoint = objectAt(entry, 'endpoint');
  return {
    key,
    system: textAt(entry, 'system') || key,
    plugin: pluginOf(key, entry),
    url: urlOf(endpoint),
    auth: authOf(endpoint),
    tls: tlsOf(endpoint),
    locationMapping: mappingOf(entry),
    retry: retryOf(entry),
    concurrency: numberAt(entry, 'concurrency', { least: 1, most: 64, otherwise: 4 }),
    refreshMs: durationAt(entry, 'refreshInterval', '5m'),
    recheckMs: durationAt(entry, 'recheckInterval', '30s'),
  };
};

/** Parses all provisioners, one JSON text per key. An invalid entry does not affect the others. */
export const readProvisioners = (data: { readonly [key: string]: string }): ProvisionerConfigs => {
  const bySystem = new Map<string, ProvisionerConfig>();
  const problems = new Map<string, string>();
  const wrongSystems = new Map<string, string>();
  for (const key of Object.keys(data).sort()) {
    let system = key;
    try {
      const entry = parse(data[key] ?? '');
      system = textAt(entry, 'system') || key;
      const config = readEntry(key, entry);
      const other = bySystem.get(system);
      if (other !== undefined) {
        throw new ConfigFieldError(
          `the system ${system} has a provisioner already, in ${other.key}`,
        );
      }
      if (bySystem.size >= MOST_PROVISIONERS) {
        throw new ConfigFieldError(
          `there are ${MOST_PROVISIONERS} provisioners already, which is the most`,
        );
      }
      bySystem.set(system, config);
    } catch (error) {
      if (!(error instanceof ConfigFieldError)) throw error;
      problems.set(key, error.message);
      if (!wrongSystems.has(system)) wrongSystems.set(system, key);
    }
  }
  return { bySystem, problems, wrongSystems };
};
