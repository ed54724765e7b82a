import { createSecureContext, type SecureContext } from 'node:tls';
import { ConfigError } from '../errors.ts';
import type { ClientCertificate, ClusterConfig } from './cluster-config.ts';

export interface TlsOptions {
  readonly secureContext: SecureContext;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

/** TLS options of connections to the server. */
export const tlsOptions = (
  { caBundle, tlsServerName, insecureSkipTlsVerify, source, server }: ClusterConfig,
  certificate: ClientCertificate | undefined,
): TlsOptions => {
  try {
    return {
      secureContext: createSecureContext({ ca: caBundle, ...certificate }),
      servername: tlsServerName,
      rejectUnauthorized: insecureSkipTlsVerify !== true,
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new ConfigError(
      `the certificates for ${source ?? server} cannot be used${code}: they must be PEM, and the key must belong to the client certificate`,
    );
  }
};
