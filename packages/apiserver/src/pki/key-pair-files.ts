import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { ConfigError } from '@perigee/kube/errors';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import type { SecretFiles } from './secret-files.ts';

/** A key pair as it was found, parsed. */
export interface StoredKeyPair extends KeyPair {
  readonly certificate: X509Certificate;
  readonly isWhole: boolean;
}

const parseOrThrow = <T>(where: string, form: string, parse: () => T): T => {
  try {
    return parse();
  } catch (cause) {
    throw new ConfigError(
      `${where} is not ${form}: restore it, or delete it to have a new one made`,
      { cause },
    );
  }
};

/** A private key from a file. */
export const parseKey = (where: string, text: string): KeyObject =>
  parseOrThrow(where, 'a private key in PEM', () => createPrivateKey(text));

export const certificateFile = (name: string): string => `${name}.crt`;
export const keyFile = (name: string): string => `${name}.key`;

/** The pair of that name; undefined when one of its halves is missing. */
export const readKeyPair = (files: SecretFiles, name: string): StoredKeyPair | undefined => {
  const cert = files.readPublic(certificateFile(name));
  const key = files.readSecret(keyFile(name));
  if (cert === undefined || key === undefined) return undefined;
  const certificate = parseOrThrow(
    files.where(certificateFile(name)),
    'a certificate in PEM',
    () => new X509Certificate(cert),
  );
  const isWhole = certificate.checkPrivateKey(parseKey(files.where(keyFile(name)), key));
  return { cert, key, certificate, isWhole };
};

export const writeKeyPair = (files: SecretFiles, name: string, { cert, key }: KeyPair): void => {
  files.write(keyFile(name), key);
  files.write(certificateFile(name), cert);
};
