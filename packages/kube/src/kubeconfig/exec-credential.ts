import type { JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Credentials } from '../client/cluster-config.ts';
import { ConfigError } from '../errors.ts';
import { Fields } from './fields.ts';
import type { ExecPlugin } from './kubeconfig.ts';

/** The cluster as a plugin gets it, if its entry asks for it. */
export interface ExecCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly config?: JsonValue;
}

export interface IssuedCredentials {
  readonly credentials: Credentials;
  /** In milliseconds since the epoch; absent when they hold until they are rejected. */
  readonly expiresAt?: number;
}

/** The value of KUBERNETES_EXEC_INFO: what the plugin is asked for. */
export const execInfo = (
  { apiVersion, provideClusterInfo }: ExecPlugin,
  interactive: boolean,
  cluster: ExecCluster,
): string =>
  JSON.stringify({
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive, ...present({ cluster: provideClusterInfo ? cluster : undefined }) },
  });

/** Reads what a plugin has printed. The errors quote nothing of it, for it holds secrets. */
export const readExecCredential = (
  output: string,
  { apiVersion }: ExecPlugin,
  who: string,
): IssuedCredentials => {
  let credential: unknown;
  try {
    credential = JSON.parse(output);
  } catch {
    throw new ConfigError(
      `${who} printed something that is not JSON: it must print an ExecCredential`,
    );
  }
  const root = new Fields(credential, `the output of ${who}`);
  if (root.text('kind') !== 'ExecCredential' || root.text('apiVersion') !== apiVersion) {
    throw new ConfigError(
      `${who} must print an ExecCredential of ${apiVersion}: set the apiVersion that it supports, or update it`,
    );
  }
  const status = root.fields('status');
  const token = status?.text('token');
  const cert = status?.text('clientCertificateData');
  const key = status?.text('clientKeyData');
  if ((token === undefined && cert === undefined) || (cert === undefined) !== (key === undefined)) {
    throw new ConfigError(
      `${who} gave no complete credentials: a token, or a certificate with its key`,
    );
  }
  const expires = Date.parse(status?.text('expirationTimestamp') ?? '');
  return {
    credentials: {
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    },
    expiresAt: Number.isNaN(expires) ? undefined : expires,
  };
};
