import { createHash, type KeyObject } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bitString,
  boolean,
  implicit,
  objectId,
  octetString,
  sequence,
  set,
  utf8String,
} from './der.ts';

/** The subject of a certificate. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly units?: readonly string[];
}

const attribute = (id: string, value: string): Buffer =>
  set(sequence(objectId(id), utf8String(value)));

export const nameOf = ({ commonName, organizations = [], units = [] }: Subject): Buffer =>
  sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    ...units.map((unit) => attribute('2.5.4.11', unit)),
    attribute('2.5.4.3', commonName),
  );

const addressBytes = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // A URL normalises an address to hexadecimal words.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':'));
  const gap = 8 - words(head).length - words(tail).length;
  const all = [...words(head), ...Array<string>(Math.max(0, gap)).fill('0'), ...words(tail)];
  return Buffer.from(all.map((word) => word.padStart(4, '0')).join(''), 'hex');
};

const alternativeName = (name: string): Buffer =>
  isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name));

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value));

const KEY_NAME_BYTES = 20;

/** Names a key, so that who checks a chain finds the right issuer among several. */
const keyName = (key: KeyObject): Buffer =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, KEY_NAME_BYTES);

export const keyNames = (own: KeyObject, issuer: KeyObject): readonly Buffer[] => [
  extension('2.5.29.14', octetString(keyName(own))),
  extension('2.5.29.35', sequence(implicit(0, keyName(issuer)))),
];

/** Extensions of the certificate of an authority. */
export const AUTHORITY_EXTENSIONS: readonly Buffer[] = [
  extension('2.5.29.19', sequence(boolean(true)), true),
  extension('2.5.29.15', bitString(Buffer.from([0x06]), 1), true),
];

const PURPOSE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

export type Usage = keyof typeof PURPOSE;

/** Extensions of the certificate of a server with these names, or of a client. */
export const leafExtensions = (usage: Usage, names: readonly string[]): readonly Buffer[] => [
  extension('2.5.29.19', sequence(), true),
  extension('2.5.29.15', bitString(Buffer.from([0x80]), 7), true),
  extension('2.5.29.37', sequence(objectId(PURPOSE[usage]))),
  ...(names.length === 0 ? [] : [extension('2.5.29.17', sequence(...names.map(alternativeName)))]),
];

export const certificatePem = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};
