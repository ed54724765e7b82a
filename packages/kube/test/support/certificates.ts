import {
  type CertificateRequest,
  issueCertificate,
  type KeyPair,
  createAuthority as newAuthority,
} from '../../src/pki/certificate-authority.ts';

interface TestRequest extends Omit<CertificateRequest, 'validity'> {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A certificate authority made for one test run. */
export interface Authority extends KeyPair {
  issue(request: TestRequest): KeyPair;
}

const LONG_AGO = Date.UTC(2020, 0, 1);
const FAR_AHEAD = Date.UTC(2099, 0, 1);

export const createAuthority = (commonName = 'test authority'): Authority => {
  const authority = newAuthority(commonName, { from: LONG_AGO, until: FAR_AHEAD });
  const issue = ({ notBefore, notAfter, ...request }: TestRequest): KeyPair => {
    const validity = {
      from: notBefore?.getTime() ?? LONG_AGO,
      until: notAfter?.getTime() ?? FAR_AHEAD,
    };
    return issueCertificate(authority, { ...request, validity });
  };
  return { ...authority, issue };
};
