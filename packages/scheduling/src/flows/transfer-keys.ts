import { createHash, createHmac, X509Certificate } from 'node:crypto';
import type { JsonObject } from '@perigee/schema/json';
import { metadataOf, SERVES, servingName, type Transfer } from './transfer.ts';

/** The key and certificate of one transfer, as PEM. */
export interface TransferKeys {
  readonly key: string;
  readonly cert: string;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The token of a cluster for the data, valid for one server of the attempt. A server forgets the spent tokens when it
 * ends, so its successor has other ones. Tokens are derived from the key.
 */
export const tokenFor = (
  { operation, attempt }: Transfer,
  { keys: { key }, server }: { readonly keys: TransferKeys; readonly server: number },
  target: string,
): string =>
  createHmac('sha256', key)
    .update([operation.metadata.uid, attempt, target, server].join('/'))
    .digest('base64url');

export const fingerprint = ({ cert }: TransferKeys): string =>
  new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const secretOf = (
  transfer: Transfer,
  name: string,
  data: { readonly [key: string]: string },
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadataOf(transfer, name),
  type: 'Opaque',
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
});

/** The Secret of the serving cluster, from which all others are derived. */
export const keySecret = (transfer: Transfer, { key, cert }: TransferKeys): JsonObject =>
  secretOf(transfer, servingName(transfer), { 'tls.key': key, 'tls.crt': cert });

/** The keys in the Secret of the serving cluster. */
export const keysIn = (secret: JsonObject): TransferKeys | undefined => {
  const data = (secret.data ?? {}) as { readonly [key: string]: unknown };
  const textOf = (name: string): string =>
    Buffer.from(String(data[name] ?? ''), 'base64').toString();
  const keys = { key: textOf('tls.key'), cert: textOf('tls.crt') };
  return keys.key === '' || keys.cert === '' ? undefined : keys;
};

/**
 * The selector of a transfer's Service. Tenants choose the labels of their own pods, so the value is derived from
 * a key that is created with the transfer.
 */
export const selectorOf = (transfer: Transfer, { key }: TransferKeys) => ({
  [SERVES]: createHmac('sha256', key)
    .update(`selector/${servingName(transfer)}`)
    .digest('hex')
    .slice(0, 40),
});
