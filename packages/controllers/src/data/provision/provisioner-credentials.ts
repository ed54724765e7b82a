import type { ClientCertificate } from '@perigee/kube/client/cluster-config';
import { ConfigError } from '@perigee/kube/errors';
import type { Secret } from '@perigee/kubernetes/core/secret';
import type { ProvisionerConfig } from '@perigee/scheduling/data/provision/provisioner-config';
import type { ProvisionerAuth } from '@perigee/scheduling/data/provision/provisioner-endpoint';
import { present } from '@perigee/schema/present';

/** Credentials for a provisioner, and the CA that verifies it. */
export interface ProvisionerCredentials {
  readonly headers: { readonly [name: string]: string };
  readonly caBundle?: string;
  readonly certificate?: ClientCertificate;
}

const ON_THIS_MACHINE = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const valueIn = ({ data = {} }: Secret, key: string): string =>
  // Strips the final newline that an editor adds, but no spaces: a password may end with one.
  Buffer.from(data[key] ?? '', 'base64')
    .toString('utf8')
    .replace(/\r?\n$/, '');

const need = (secret: Secret | undefined, name: string | undefined): Secret | undefined => {
  if (name !== undefined && secret === undefined)
    throw new ConfigError(`there is no Secret ${name}`);
  return secret;
};

const authHeaders = (
  { type, header, inline }: ProvisionerAuth,
  secret: Secret | undefined,
): { readonly [name: string]: string } => {
  const value = (key: 'username' | 'password' | 'token'): string => {
    const credential = (secret === undefined ? inline[key] : valueIn(secret, key)) ?? '';
    if (credential !== '') return credential;
    throw new ConfigError(`the Secret ${secret?.metadata.name} has no ${key}`);
  };
  switch (type) {
    case 'none':
      return {};
    case 'basic': {
      const pair = `${value('username')}:${value('password')}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    case 'bearer':
      return { authorization: `Bearer ${value('token')}` };
    case 'apikey':
      return { [header.toLowerCase()]: value('token') };
  }
};

const refusePlainText = ({ url, auth, tls }: ProvisionerConfig): void => {
  const { protocol, hostname } = new URL(url);
  const isPrivate = protocol === 'https:' || ON_THIS_MACHINE.test(hostname);
  if (auth.type === 'none' || isPrivate || tls.allowPlainText) return;
  throw new ConfigError(
    'endpoint.url is without TLS, and would be sent credentials in plain text: use https, or set endpoint.tls.allowPlainText',
  );
};

/** Builds the credentials of a provisioner from its Secrets. Throws a `ConfigError` that contains no secret value. */
export const provisionerCredentials = (
  config: ProvisionerConfig,
  secretNamed: (name: string) => Secret | undefined,
): ProvisionerCredentials => {
  refusePlainText(config);
  const { auth, tls } = config;
  const login = need(auth.secret === undefined ? undefined : secretNamed(auth.secret), auth.secret);
  const trust = need(tls.secret === undefined ? undefined : secretNamed(tls.secret), tls.secret);
  const headers = authHeaders(auth, login);
  if (trust === undefined) return { headers };
  const [caBundle, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) =>
    valueIn(trust, name),
  );
  return {
    headers,
    ...present({
      caBundle: caBundle || undefined,
      certificate: cert && key ? { cert, key } : undefined,
    }),
  };
};
