import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ClientCertificate } from '../client/cluster-config.ts';
import { ConfigError } from '../errors.ts';
import type { PemSource } from './kubeconfig.ts';

interface Pem {
  /** Its name in error messages: `client-certificate of user "me" of F` or the same with `-data`. */
  readonly what: string;
  readonly text: string;
}

const readText = async (source: PemSource, name: string, owner: string): Promise<Pem> => {
  if ('base64' in source) {
    const text = Buffer.from(source.base64, 'base64').toString('utf8');
    return { what: `${name}-data of ${owner}`, text };
  }
  const what = `${source.path} (${name} of ${owner})`;
  try {
    return { what, text: await readFile(source.path, 'utf8') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new ConfigError(`${what} cannot be read${code}: check the path and its permissions`);
  }
};

const parsePem = <T>({ what, text }: Pem, form: string, parse: (text: string) => T): T => {
  try {
    return parse(text);
  } catch {
    throw new ConfigError(`${what} is not ${form}: replace it`);
  }
};

const asCertificate = (pem: Pem): X509Certificate =>
  parsePem(pem, 'a certificate in PEM', (text) => new X509Certificate(text));

/** The certificates of the authorities that sign the server's certificate. */
export const readAuthorities = async (source: PemSource, owner: string): Promise<string> => {
  const pem = await readText(source, 'certificate-authority', owner);
  asCertificate(pem);
  return pem.text;
};

/** A client's certificate and key, known to belong together. */
export const readClientCertificate = async (
  certificate: PemSource,
  key: PemSource,
  owner: string,
): Promise<ClientCertificate> => {
  const certPem = await readText(certificate, 'client-certificate', owner);
  const keyPem = await readText(key, 'client-key', owner);
  const x509 = asCertificate(certPem);
  const privateKey = parsePem(keyPem, 'a private key in PEM', (text) => createPrivateKey(text));
  if (!x509.checkPrivateKey(privateKey)) {
    throw new ConfigError(`${keyPem.what} does not belong to ${certPem.what}: replace one of them`);
  }
  return { cert: certPem.text, key: keyPem.text };
};
