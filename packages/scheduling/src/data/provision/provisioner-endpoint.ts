import type { JsonObject } from '@perigee/schema/json';
import { ConfigFieldError } from '../../errors.ts';
import { flagAt, numberAt, objectAt, textAt } from './config-fields.ts';

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

export interface ProvisionerTls {
  /** The Secret with ca.crt, and with tls.crt and tls.key for mutual TLS. */
  readonly secret?: string;
  readonly insecureSkipVerify: boolean;
  /** Allows credentials over plain HTTP to another machine. */
  readonly allowPlainText: boolean;
}

const HEADER = /^[A-Za-z0-9-]{1,64}$/;

const AUTH_TYPES: { readonly [type: string]: AuthType } = {
  '': 'none',
  none: 'none',
  basic: 'basic',
  bearer: 'bearer',
  token: 'bearer',
  apikey: 'apikey',
};

export const urlOf = (endpoint: JsonObject): string => {
  const text = textAt(endpoint, 'endpoint.url');
  if (text === '') throw new ConfigFieldError('endpoint.url is missing');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigFieldError('endpoint.url must be an address such as https://host:port/path');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigFieldError(
      'endpoint.url holds a user name or password: put them into a Secret',
    );
  }
  const port = numberAt(endpoint, 'endpoint.port', { least: 0, most: 65_535, otherwise: 0 });
  if (port > 0) url.port = String(port);
  return url.href.replace(/\/$/, '');
};

const secretAt = (object: JsonObject, path: string): { readonly secret?: string } => {
  const name = textAt(objectAt(object, path), `${path}.name`);
  return name === '' ? {} : { secret: name };
};

export const authOf = (endpoint: JsonObject): ProvisionerAuth => {
  const auth = objectAt(endpoint, 'endpoint.auth');
  const word = textAt(auth, 'endpoint.auth.type').toLowerCase();
  const type = Object.hasOwn(AUTH_TYPES, word) ? AUTH_TYPES[word] : undefined;
  if (type === undefined) {
    throw new ConfigFieldError('endpoint.auth.type must be none, basic, bearer or apikey');
  }
  const extra = objectAt(auth, 'endpoint.auth.extra');
  const header = textAt(extra, 'endpoint.auth.extra.header') || 'X-API-Key';
  if (!HEADER.test(header))
    throw new ConfigFieldError('endpoint.auth.extra.header is no name of a header');
  const texts = (['username', 'password', 'token'] as const).flatMap((name) => {
    const value = textAt(auth, `endpoint.auth.${name}`);
    return value === '' ? [] : [[name, value] as const];
  });
  const from = secretAt(auth, 'endpoint.auth.secretRef');
  const inline = Object.fromEntries(texts) as ProvisionerAuth['inline'];
  const isThere = type === 'basic' ? inline.username && inline.password : inline.token;
  if (type !== 'none' && from.secret === undefined && !isThere) {
    throw new ConfigFieldError(
      'endpoint.auth has no credentials: name a Secret in endpoint.auth.secretRef.name',
    );
  }
  return { type, header, inline, ...from };
};

export const tlsOf = (endpoint: JsonObject): ProvisionerTls => {
  const tls = objectAt(endpoint, 'endpoint.tls');
  for (const file of ['certFile', 'keyFile', 'caFile']) {
    if (textAt(tls, `endpoint.tls.${file}`) !== '') {
      throw new ConfigFieldError(
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
