import { readFile } from 'node:fs/promises';
import type { ClusterConfig, CredentialSource, Credentials } from '../client/cluster-config.ts';
import type { Clock } from '../clock/clock.ts';
import { ConfigError } from '../errors.ts';
import type { Logger } from '../observe/logger.ts';
import { execCredentials } from './exec-credentials.ts';
import type { KubeconfigUser } from './kubeconfig.ts';
import { readAuthorities, readClientCertificate } from './read-pem.ts';
import { refreshedCredentials } from './refreshed-credentials.ts';
import type { ResolvedContext } from './resolve-context.ts';

export interface OpenOptions {
  readonly clock: Clock;
  /** The environment that credential plugins inherit. */
  readonly env: { readonly [name: string]: string | undefined };
  /** True if the terminal is interactive; false by default. */
  readonly interactive?: boolean;
  readonly logger?: Pick<Logger, 'warn'>;
}

/** Reads the token in a file. */
export const readToken = async (file: string, owner: string): Promise<string> => {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new ConfigError(
      `the token file ${file} of ${owner} cannot be read${code}: check the path`,
    );
  }
};

const authorizationOf = async (
  user: KubeconfigUser,
  owner: string,
): Promise<string | undefined> => {
  const { token, tokenFile, username, password = '' } = user;
  if (tokenFile !== undefined) return `Bearer ${await readToken(tokenFile, owner)}`;
  if (token !== undefined) return `Bearer ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
};

const readCredentials = async (user: KubeconfigUser, owner: string): Promise<Credentials> => {
  const { clientCertificate: cert, clientKey: key } = user;
  return {
    authorization: await authorizationOf(user, owner),
    certificate: cert && key && (await readClientCertificate(cert, key, owner)),
  };
};

const credentialsOf = async (
  { user, cluster }: ResolvedContext,
  caBundle: string | undefined,
  options: OpenOptions,
): Promise<CredentialSource | undefined> => {
  if (user === undefined) return undefined;
  const owner = `user "${user.name}" of ${user.file}`;
  if (user.exec) {
    const { server, tlsServerName, insecureSkipTlsVerify, proxyUrl, pluginConfig } = cluster;
    const { clock, env, interactive = false } = options;
    const about = {
      server,
      'tls-server-name': tlsServerName,
      'insecure-skip-tls-verify': insecureSkipTlsVerify || undefined,
      'certificate-authority-data': caBundle && Buffer.from(caBundle).toString('base64'),
      'proxy-url': proxyUrl,
      config: pluginConfig,
    };
    return execCredentials(user.exec, { clock, env, interactive, cluster: about, owner });
  }
  const source = refreshedCredentials(() => readCredentials(user, owner), options);
  await source();
  return source;
};

/** Makes a context ready for use: reads its certificates, and finds out how to get credentials. */
export const openContext = async (
  context: ResolvedContext,
  options: OpenOptions,
): Promise<ClusterConfig> => {
  const { cluster, user, source, namespace } = context;
  const { certificateAuthority, insecureSkipTlsVerify, server, tlsServerName, proxyUrl } = cluster;
  const where = `cluster "${cluster.name}" of ${cluster.file}`;
  if (insecureSkipTlsVerify && certificateAuthority) {
    throw new ConfigError(
      `${where} has both a certificate-authority and insecure-skip-tls-verify: keep one of them`,
    );
  }
  const caBundle = certificateAuthority && (await readAuthorities(certificateAuthority, where));
  if (user && server.startsWith('http:')) {
    options.logger?.warn(
      `${where} has no TLS, so the credentials of user "${user.name}" are not sent to it: use https`,
    );
  }
  return {
    server,
    source,
    namespace,
    caBundle,
    tlsServerName,
    insecureSkipTlsVerify,
    proxyUrl,
    credentials: await credentialsOf(context, caBundle, options),
    impersonate: user?.impersonate,
  };
};
