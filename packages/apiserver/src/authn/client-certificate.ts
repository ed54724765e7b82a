import type { X509Certificate } from 'node:crypto';
import { unitsNameCluster } from '../pki/cluster-units.ts';
import { CREDENTIAL_ID } from './service-account-user.ts';
import { NONE, refused, type Verdict } from './verdict.ts';

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

export interface CertificateCheck {
  /** Whoever it signs for is whom the certificate names. */
  readonly authority: X509Certificate;
  readonly cluster: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A name may stand once or several times. */
const valuesOf = (found: unknown): readonly string[] =>
  (Array.isArray(found) ? found : [found]).filter((value) => typeof value === 'string');

/** Whether an authority signed a certificate does not change, and a connection has many requests. */
const signedBy = new WeakMap<X509Certificate, X509Certificate>();

const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean => {
  if (signedBy.get(certificate) === authority) return true;
  const isSigned = certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  if (isSigned) signedBy.set(certificate, authority);
  return isSigned;
};

const problemOf = (
  certificate: X509Certificate,
  { authority, now }: CertificateCheck,
): string | undefined => {
  if (!isSignedBy(certificate, authority)) return 'the certificate is signed by another authority';
  if (certificate.validFromDate.getTime() > now) return 'the certificate is not valid yet';
  if (certificate.validToDate.getTime() < now) return 'the certificate has expired';
  return certificate.keyUsage?.includes(CLIENT_AUTHENTICATION)
    ? undefined
    : 'the certificate is not for clients';
};

/** Who a certificate is about, if it is valid in the cluster. */
export const checkCertificate = (
  certificate: X509Certificate | undefined,
  check: CertificateCheck,
): Verdict => {
  if (certificate === undefined) return NONE;
  const problem = problemOf(certificate, check);
  if (problem !== undefined) return refused(problem);
  const { CN, O, OU } = certificate.toLegacyObject().subject as { readonly [id: string]: unknown };
  if (!unitsNameCluster(valuesOf(OU), check.cluster)) {
    return refused('the certificate is for another cluster');
  }
  const name = valuesOf(CN).at(-1);
  if (name === undefined || name === '') return NONE;
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  const extra = { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] };
  return { kind: 'known', user: { name, groups: valuesOf(O), extra } };
};
