import type { Client, ObjectRef } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { Secret } from '@perigee/kube/kinds/core-kinds';
import { createAuthority, issueCertificate } from '@perigee/kube/pki/certificate-authority';

/** The certificate of the webhook, its key, and who has to be trusted for it; all in PEM. */
export interface WebhookKeys {
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
}

const YEARS_MS = 10 * 365 * 86_400_000;
/** Clocks of machines differ. */
const SKEW_MS = 300_000;

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();

const newKeys = (names: readonly string[], clock: Clock): WebhookKeys => {
  const now = clock.now();
  const validity = { from: now - SKEW_MS, until: now + YEARS_MS };
  const authority = createAuthority('perigee-webhook-ca', validity);
  const request = { commonName: 'perigee-webhook', usage: 'server', names, validity } as const;
  return { ...issueCertificate(authority, request), authority: authority.cert };
};

const find = async (client: Client, ref: ObjectRef): Promise<Secret | undefined> => {
  try {
    return await client.get(Secret, ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const namesKey = (names: readonly string[]): string => names.toSorted().join(' ');

/**
 * The keys that all webhooks of a cluster share: in a Secret, made by the first of them, and anew when the
 * webhook is to be reached by other names.
 */
export const webhookKeys = async (
  client: Client,
  ref: ObjectRef,
  names: readonly string[],
  clock: Clock,
): Promise<WebhookKeys> => {
  const found = await find(client, ref);
  const data = found?.data ?? {};
  if (found !== undefined && decode(data.names) === namesKey(names)) {
    return {
      cert: decode(data['tls.crt']),
      key: decode(data['tls.key']),
      authority: decode(data['ca.crt']),
    };
  }
  const keys = newKeys(names, clock);
  const written = {
    'tls.crt': encode(keys.cert),
    'tls.key': encode(keys.key),
    'ca.crt': encode(keys.authority),
    names: encode(namesKey(names)),
  };
  try {
    if (found === undefined) await client.create(Secret, { metadata: ref, data: written });
    else await client.update(Secret, { ...found, data: written });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return webhookKeys(client, ref, names, clock);
  }
  return keys;
};
