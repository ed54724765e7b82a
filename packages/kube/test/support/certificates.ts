import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectId,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './certificates-der.ts';

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly usage: 'server' | 'client';
  /** DNS names and IP addresses that a server answers to. */
  readonly names?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A certificate authority made for one test run. */
export interface Authority extends KeyPair {
  issue(request: CertificateRequest): KeyPair;
}

const LONG_AGO = new Date(Date.UTC(2020, 0, 1));
const FAR_AHEAD = new Date(Date.UTC(2099, 0, 1));
const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const PURPOSE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

const attribute = (id: string, value: string): Buffer =>
  set(sequence(objectId(id), utf8String(value)));

const nameOf = (commonName: string, organizations: readonly string[] = []): Buffer =>
  sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  );

const addressBytes = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':'));
  const gap = 8 - words(head).length - words(tail).length;
  const all = [...words(head), ...Array<string>(Math.max(0, gap)).fill('0'), ...words(tail)];
  return Buffer.from(all.map((word) => word.padStart(4, '0')).join(''), 'hex');
};

const alternativeName = (name: string): Buffer =>
  isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name));

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value));

const pem = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};

interface Unsigned {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Buffer[];
}

const signed = (content: Unsigned, signer: KeyObject): string => {
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    content.issuer,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...content.extensions)),
  );
  return pem(sequence(body, ECDSA_WITH_SHA256, bitString(sign('sha256', body, signer))));
};

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

export const createAuthority = (commonName = 'test authority'): Authority => {
  const { publicKey, privateKey } = newKeys();
  const issuer = nameOf(commonName);
  const cert = signed(
    {
      issuer,
      subject: issuer,
      publicKey,
      notBefore: LONG_AGO,
      notAfter: FAR_AHEAD,
      extensions: [
        extension('2.5.29.19', sequence(boolean(true)), true),
        extension('2.5.29.15', bitString(Buffer.from([0x06]), 1), true),
      ],
    },
    privateKey,
  );
  const issue = (request: CertificateRequest): KeyPair => {
    const keys = newKeys();
    const { names = [], notBefore = LONG_AGO, notAfter = FAR_AHEAD } = request;
    const extensions = [
      extension('2.5.29.19', sequence(), true),
      extension('2.5.29.37', sequence(objectId(PURPOSE[request.usage]))),
    ];
    if (names.length > 0) {
      extensions.push(extension('2.5.29.17', sequence(...names.map(alternativeName))));
    }
    const subject = nameOf(request.commonName, request.organizations);
    const content = { issuer, subject, publicKey: keys.publicKey, notBefore, notAfter, extensions };
    return { cert: signed(content, privateKey), key: keyPem(keys.privateKey) };
  };
  return { cert, key: keyPem(privateKey), issue };
};
