import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto';
import {
  AUTHORITY_EXTENSIONS,
  certificatePem,
  keyNames,
  leafExtensions,
  nameOf,
  type Subject,
  type Usage,
} from './certificate-parts.ts';
import {
  bitString,
  contentOf,
  explicit,
  integer,
  objectId,
  sequence,
  splitDer,
  time,
} from './der.ts';
import type { Validity } from './validity.ts';

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest extends Subject {
  readonly usage: Usage;
  /** DNS names and IP addresses that a server answers to. */
  readonly names?: readonly string[];
  readonly validity: Validity;
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

interface Unsigned {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  readonly extensions: readonly Buffer[];
}

/** No two certificates are about the same key and the same time, so that what follows from both is new. */
const serialOf = (publicKey: KeyObject, { from, until }: Validity): Buffer => {
  const digest = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .update(`${from} ${until}`);
  return Buffer.concat([Buffer.from([1]), digest.digest().subarray(0, 15)]);
};

const signCertificate = (content: Unsigned, signer: KeyObject): string => {
  const { publicKey, validity, extensions } = content;
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serialOf(publicKey, validity)),
    ECDSA_WITH_SHA256,
    content.issuer,
    sequence(time(new Date(validity.from)), time(new Date(validity.until))),
    content.subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions, ...keyNames(publicKey, createPublicKey(signer)))),
  );
  return certificatePem(sequence(body, ECDSA_WITH_SHA256, bitString(sign('sha256', body, signer))));
};

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A private key of its own, in PEM. */
export const createKey = (): string => keyPem(newKeys().privateKey);

const VERSION_TAG = 0xa0;

/** The name in a certificate, byte by byte: what it signs has to repeat it so. */
const subjectBytes = (cert: string): Buffer => {
  const [body = Buffer.alloc(0)] = splitDer(contentOf(new X509Certificate(cert).raw));
  const fields = splitDer(contentOf(body));
  const [, , , , subject = Buffer.alloc(0)] =
    fields[0]?.[0] === VERSION_TAG ? fields.slice(1) : fields;
  return subject;
};

export const createAuthority = (commonName: string, validity: Validity): KeyPair => {
  const { publicKey, privateKey } = newKeys();
  const name = nameOf({ commonName });
  const content = { issuer: name, subject: name, publicKey, validity };
  const cert = signCertificate({ ...content, extensions: AUTHORITY_EXTENSIONS }, privateKey);
  return { cert, key: keyPem(privateKey) };
};

/** The same authority for another time: what it has signed is good by the new certificate, too. */
export const renewAuthority = ({ cert, key }: KeyPair, validity: Validity): KeyPair => {
  const privateKey = createPrivateKey(key);
  const name = subjectBytes(cert);
  const content = { issuer: name, subject: name, publicKey: createPublicKey(privateKey), validity };
  return {
    cert: signCertificate({ ...content, extensions: AUTHORITY_EXTENSIONS }, privateKey),
    key,
  };
};

/** A new key with a certificate that the authority signs. */
export const issueCertificate = (authority: KeyPair, request: CertificateRequest): KeyPair => {
  const { usage, names = [], validity } = request;
  const { publicKey, privateKey } = newKeys();
  const cert = signCertificate(
    {
      issuer: subjectBytes(authority.cert),
      subject: nameOf(request),
      publicKey,
      validity,
      extensions: leafExtensions(usage, names),
    },
    createPrivateKey(authority.key),
  );
  return { cert, key: keyPem(privateKey) };
};
