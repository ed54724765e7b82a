import { readFileSync } from 'node:fs';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import {
  createAuthority,
  issueCertificate,
  type KeyPair,
} from '@perigee/kube/pki/certificate-authority';
import { authorityValidity, leafValidity } from '@perigee/kube/pki/validity';

export interface CertificateFiles {
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
}

export interface ServingCertificate {
  readonly pair: KeyPair;
  /** The CA of a generated certificate, in PEM; clients have to trust it. */
  readonly authority?: string;
}

const YEAR_MS = 365 * 86_400_000;
const OWN_NAMES = ['localhost', '127.0.0.1', '::1'];

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
};

/** Generates a certificate for this machine, signed by a new CA that signs nothing else. */
const selfMade = (host: string, clock: Clock): ServingCertificate => {
  const now = clock.now();
  const validity = leafValidity(now, YEAR_MS);
  const authority = createAuthority('perigee-rest-ca', authorityValidity(now, YEAR_MS));
  const pair = issueCertificate(authority, {
    commonName: 'perigee-rest',
    usage: 'server',
    names: [...new Set([...OWN_NAMES, host])],
    validity,
  });
  return { pair, authority: authority.cert };
};

/** The certificate of the REST server: from the files, or generated. */
export const servingCertificate = (
  { tlsCertFile, tlsPrivateKeyFile }: CertificateFiles,
  host: string,
  clock: Clock,
): ServingCertificate => {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) {
    return { pair: { cert: read(tlsCertFile), key: read(tlsPrivateKeyFile) } };
  }
  if (tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined) {
    throw new ConfigError('--tls-cert-file and --tls-private-key-file go together: give both');
  }
  return selfMade(host, clock);
};
