import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import { isAlreadyExists, isConflict } from '@perigee/kube/errors';
import { createAuthority, issueCertificate } from '@perigee/kube/pki/certificate-authority';
import { authorityValidity, holds, leafValidity, validityOf } from '@perigee/kube/pki/validity';
import { Secret } from '@perigee/kubernetes/core/secret';

/** The webhook's certificate, its key and its CA, in PEM. */
export interface WebhookKeys {
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
}

const YEARS_MS = 10 * 365 * 86_400_000;
const RENEWED_MS = 30 * 86_400_000;

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();

const newKeys = (names: readonly string[], clock: Clock): WebhookKeys => {
  const now = clock.now();
  const validity = leafValidity(now, YEARS_MS);
  const authority = createAuthority('perigee-webhook-ca', authorityValidity(now, YEARS_MS));
  const request = { commonName: 'perigee-webhook', usage: 'server', names, validity } as const;
  return { ...issueCertificate(authority, request), authority: authority.cert };
};

const namesKey = (names: readonly string[]): string => names.toSorted().join(' ');

/** True if the certificate is valid, not due for renewal, and fits its key; false for anything malformed. */
const canBeUsed = ({ cert, key, authority }: WebhookKeys, now: number): boolean => {
  try {
    const isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return isPair && [cert, authority].every((one) => holds(validityOf(one), now, RENEWED_MS));
  } catch {
    return false;
  }
};

/**
 * The keys that all replicas of the webhook share in a Secret. The first one creates them; they are renewed when
 * the DNS names change, shortly before they expire, and while they are not valid yet.
 */
export const webhookKeys = async (
  client: Client,
  ref: ObjectRef,
  names: readonly string[],
  clock: Clock,
): Promise<WebhookKeys> => {
  const secret = await getOrUndefined(client, Secret, ref);
  const data = secret?.data ?? {};
  const storedKeys = {
    cert: decode(data['tls.crt']),
    key: decode(data['tls.key']),
    authority: decode(data['ca.crt']),
  };
  if (decode(data.names) === namesKey(names) && canBeUsed(storedKeys, clock.now()))
    return storedKeys;
  const keys = newKeys(names, clock);
  const encodedKeys = {
    'tls.crt': encode(keys.cert),
    'tls.key': encode(keys.key),
    'ca.crt': encode(keys.authority),
    names: encode(namesKey(names)),
  };
  try {
    if (secret === undefined) await client.create(Secret, { metadata: ref, data: encodedKeys });
    else await client.update(Secret, { ...secret, data: encodedKeys });
  } catch (error) {
    if (!isAlreadyExists(error) && !isConflict(error)) throw error;
    return webhookKeys(client, ref, names, clock);
  }
  return keys;
};
