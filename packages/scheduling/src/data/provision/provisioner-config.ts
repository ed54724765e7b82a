import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { parseDuration } from '@perigee/schema/values/duration';
import type { LocationMapping } from './map-location.ts';
import type { RetrySettings } from './retry-delay.ts';

export type AuthType = 'none' | 'basic' | 'bearer' | 'apikey';

export interface ProvisionerAuth {
  readonly type: AuthType;
  /** The header of an API key. */
  readonly header: string;
  /** The Secret with username, password or token, in the namespace of the ConfigMap. */
  readonly secret?: string;
  /** Credentials in the ConfigMap itself, as volcano-global allows. */
  readonly inline: {
    readonly username?: string;
    readonly password?: string;
    readonly token?: string;
  };
}

/** Endpoint, credentials and limits of the provisioner of one system. */
export interface ProvisionerConfig {
  /** The key of the ConfigMap entry. */
  readonly key: string;
  readonly system: string;
  readonly plugin: 'webhook' | 'amoro';
  readonly url: string;
  readonly auth: ProvisionerAuth;
  readonly tls: {
    /** The Secret with ca.crt, and with tls.crt and tls.key for mutual TLS. */
    readonly secret?: string;
    readonly insecureSkipVerify: boolean;
    /** Allows credentials over plain HTTP to another machine. */
    readonly allowPlainText: boolean;
  };
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
const HEADER = /^[A-Za-z0-9-]{1,64}$/;
const AUTH_TYPES: { readonly [type: string]: AuthType } = {
  '': 'none',
  none: 'none',
  basic: 'basic',
  bearer: 'bearer',
  token: 'bearer',
  apikey: 'apikey',
};

class Wrong extends Error {}

const objectAt = (object: JsonObject, path: string): JsonObject => {
  const value = object[path.slice(path.lastIndexOf('.') + 1)] ?? {};
  if (!isJsonObject(value)) throw new Wrong(`${path} must be an object`);
  return value;
};

const textAt = (object: JsonObject, path: string): string => {
  const value = object[path.slice(path.lastIndexOf('.') + 1)] ?? '';
  if (typeof value !== 'string') throw new Wrong(`${path} must be text`);
  return value;
};

const flagAt = (object: JsonObject, path: string): boolean => {
  const value = object[path.slice(path.lastIndexOf('.') + 1)] ?? false;
  if (typeof value !== 'boolean') throw new Wrong(`${path} must be true or false`);
  return value;
};

const numberAt = (
  object: JsonObject,
  path: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number => {
  const value = object[path.slice(path.lastIndexOf('.') + 1)] ?? otherwise;
  if (typeof value !== 'number' || value < least || value > most) {
    throw new Wrong(`${path} must be a number from ${least} to ${most}`);
  }
  return value;
};

const durationAt = (object: JsonObject, path: string, otherwise: string): number => {
  const text = textAt(object, path) || otherwise;
  try {
    const ms = parseDuration(text);
    if (ms > 0) return ms;
  } catch {
    // Falls through to the error below.
  }
  throw new Wrong(`${path} must be a duration, such as 30s, not ${JSON.stringify(text)}`);
};

const urlOf = (endpoint: JsonObject): string => {
  const text = textAt(endpoint, 'endpoint.url');
  if (text === '') throw new Wrong('endpoint.url is missing');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Wrong('endpoint.url must be an address such as https://host:port/path');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Wrong('endpoint.url holds a user name or password: put them into a Secret');
  }
  const port = numberAt(endpoint, 'endpoint.port', { least: 0, most: 65_535, otherwise: 0 });
  if (port > 0) url.port = String(port);
  return url.href.replace(/\/$/, '');
};

const secretAt = (object: JsonObject, path: string): { readonly secret?: string } => {
  const name = textAt(objectAt(object, path), `${path}.name`);
  return name === '' ? {} : { secret: name };
};

const authOf = (endpoint: JsonObject): ProvisionerAuth => {
  const auth = objectAt(endpoint, 'endpoint.auth');
  const said = textAt(auth, 'endpoint.auth.type').toLowerCase();
  const type = Object.hasOwn(AUTH_TYPES, said) ? AUTH_TYPES[said] : undefined;
  if (type === undefined) {
    throw new Wrong('endpoint.auth.type must be none, basic, bearer or apikey');
  }
  const extra = objectAt(auth, 'endpoint.auth.extra');
  const header = textAt(extra, 'endpoint.auth.extra.header') || 'X-API-Key';
  if (!HEADER.test(header)) throw new Wrong('endpoint.auth.extra.header is no name of a header');
  const texts = (['username', 'password', 'token'] as const).flatMap((name) => {
    const value = textAt(auth, `endpoint.auth.${name}`);
    return value === '' ? [] : [[name, value] as const];
  });
  const from = secretAt(auth, 'endpoint.auth.secretRef');
  const inline = Object.fromEntries(texts) as ProvisionerAuth['inline'];
  const isThere = type === 'basic' ? inline.username && inline.password : inline.token;
  if (type !== 'none' && from.secret === undefined && !isThere) {
    throw new Wrong(
      'endpoint.auth has no credentials: name a Secret in endpoint.auth.secretRef.name',
    );
  }
  return { type, header, inline, ...from };
};

const tlsOf = (endpoint: JsonObject): ProvisionerConfig['tls'] => {
  const tls = objectAt(endpoint, 'endpoint.tls');
  for (const file of ['certFile', 'keyFile', 'caFile']) {
    if (textAt(tls, `endpoint.tls.${file}`) !== '') {
      throw new Wrong(
        `endpoint.tls.${file} names a file, and files are not read: put it into a Secret, and name that in endpoint.tls.secretRef.name`,
      );
    }
  }
  return {
    insecureSkipVerify: flagAt(tls, 'endpoint.tls.insecureSkipVerify'),
    allowPlainText: flagAt(tls, 'endpoint.tls.allowPlainText'),
    ...secretAt(tls, 'endpoint.tls.secretRef'),
  };
};

const isNames = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');

const mappingOf = (entry: JsonObject): LocationMapping => {
  const mapping = objectAt(entry, 'locationMapping');
  for (const [prefix, clusters] of Object.entries(mapping)) {
    if (!isNames(clusters)) {
      throw new Wrong(`locationMapping[${JSON.stringify(prefix)}] must be a list of cluster names`);
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

const parse = (text: string): JsonObject => {
  try {
    const read: unknown = JSON.parse(text);
    if (isJsonObject(read)) return read;
  } catch {
    // Falls through to the error below: the parser's message quotes the text, which may hold a
    // password.
  }
  throw new Wrong('it is not a JSON object');
};

const pluginOf = (key: string, entry: JsonObject): ProvisionerConfig['plugin'] => {
  const plugin = textAt(entry, 'plugin') || (key === 'amoro' ? 'amoro' : 'webhook');
  if (plugin !== 'amoro' && plugin !== 'webhook')
    throw new Wrong('plugin must be webhook or amoro');
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
        throw new Wrong(`the system ${system} has a provisioner already, in ${other.key}`);
      }
      if (bySystem.size >= MOST_PROVISIONERS) {
        throw new Wrong(`there are ${MOST_PROVISIONERS} provisioners already, which is the most`);
      }
      bySystem.set(system, config);
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      problems.set(key, error.message);
      if (!wrongSystems.has(system)) wrongSystems.set(system, key);
    }
  }
  return { bySystem, problems, wrongSystems };
};
