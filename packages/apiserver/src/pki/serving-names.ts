import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { ConfigError } from '@perigee/kube/errors';
import { checkDnsSubdomain } from '@perigee/schema/values/names';

/** The names under which a cluster finds its own API, and those of this machine. */
const OWN_NAMES: readonly string[] = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

const isName = (name: string): boolean =>
  isIP(name) !== 0 || checkDnsSubdomain(name.replace(/^\*\./, '')).length === 0;

/** All names of a serving certificate: its own, and those that the operator asks for. */
export const servingNames = (requestedNames: readonly string[] = []): readonly string[] => {
  const wrong = requestedNames.find((name) => !isName(name));
  if (wrong !== undefined) {
    throw new ConfigError(
      `${JSON.stringify(wrong)} is no name for a server: give a DNS name such as api.example.com, or an IP address`,
    );
  }
  return [...new Set([...OWN_NAMES, ...requestedNames])];
};

/** True if a certificate is good for every one of the names. */
export const hasNames = (certificate: X509Certificate, names: readonly string[]): boolean => {
  const alternativeNames = new Set(certificate.subjectAltName?.split(', '));
  return names.every((name) =>
    isIP(name) ? certificate.checkIP(name) !== undefined : alternativeNames.has(`DNS:${name}`),
  );
};
