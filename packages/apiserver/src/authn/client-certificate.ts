import type { X509Certificate } from 'node:crypto';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { unitsNameCluster } from '../pki/cluster-units.ts';
import { CREDENTIAL_ID } from './service-account-user.ts';
import { NONE, refusedVerdict, type Verdict } from './verdict.ts';

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

export interface CertificateCheck {
  /** The authority that signs client certificates. */
  readonly authority: X509Certificate;
  readonly cluster: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A name may stand once or several times. */
const valuesOf = (attribute: unknown): readonly string[] =>
  (Array.isArray(attribute) ? attribute : [attribute]).filter((value) => typeof value === 'string');

/** The immutable content of a certificate that the authority signed. */
interface Reading {
  readonly authority: X509Certificate;
  readonly user: UserInfo;
  readonly units: readonly string[];
}

/** A connection has many requests, and parsing its certificate costs more than most responses. */
const readings = new WeakMap<X509Certificate, Reading>();

/** Undefined when another authority signed it. */
const readSigned = (
  certificate: X509Certificate,
  authority: X509Certificate,
): Reading | undefined => {
  const cachedReading = readings.get(certificate);
  if (cachedReading?.authority === authority) return cachedReading;
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) {
    return undefined;
  }
  const { CN, O, OU } = certificate.toLegacyObject().subject as { readonly [id: string]: unknown };
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  const extra = { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] };
  const user = { name: valuesOf(CN).at(-1) ?? '', groups: valuesOf(O), extra };
  const reading = { authority, user, units: valuesOf(OU) };
  readings.set(certificate, reading);
  return reading;
};

/** Reason why a certificate is not valid now. */
const problemOf = (certificate: X509Certificate, now: number): string | undefined => {
  if (certificate.validFromDate.getTime() > now) return 'the certificate is not valid yet';
  if (certificate.validToDate.getTime() < now) return 'the certificate has expired';
  return certificate.keyUsage?.includes(CLIENT_AUTHENTICATION)
    ? undefined
    : 'the certificate is not for clients';
};

/** The user of a certificate that is valid in the cluster. */
export const checkCertificate = (
  certificate: X509Certificate | undefined,
  { authority, cluster, now }: CertificateCheck,
): Verdict => {
  if (certificate === undefined) return NONE;
  const reading = readSigned(certificate, authority);
  if (reading === undefined)
    return refusedVerdict('the certificate is signed by another authority');
  const problem = problemOf(certificate, now);
  if (problem !== undefined) return refusedVerdict(problem);
  if (!unitsNameCluster(reading.units, cluster)) {
    return refusedVerdict('the certificate is for another cluster');
  }
  return reading.user.name === '' ? NONE : { kind: 'known', user: reading.user };
};
