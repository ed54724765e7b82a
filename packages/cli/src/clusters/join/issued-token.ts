import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { tokenSecret } from './member-objects.ts';

export const FIELD_MANAGER = 'perigee-join';

const LOOK_MS = 200;
const ATTEMPTS = 150;

const read = ({ data = {} }: Secret, key: string): string | undefined =>
  data[key] && Buffer.from(data[key], 'base64').toString('utf8');

export interface IssuedToken {
  readonly token: string;
  /** The CA of the server's certificate, as the server reports it. */
  readonly authority?: string;
}

/** Creates the token Secret of a service account and waits for the server to fill it; an existing token is reused. */
export const issuedToken = async (
  client: Client,
  ref: { readonly namespace: string; readonly name: string },
  account: string,
  labels: JsonObject,
): Promise<IssuedToken> => {
  const body = tokenSecret(ref, account, labels);
  const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
  await client.patch(Secret, ref, patch);
  for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
    const secret = await client.get(Secret, ref);
    const token = read(secret, 'token');
    const authority = read(secret, 'ca.crt');
    if (token) return { token, ...present({ authority: authority || undefined }) };
    await clock.sleep(LOOK_MS);
  }
  throw new CommandError(
    EXIT.failed,
    `nobody put a token into the Secret ${ref.namespace}/${ref.name}: does the token controller (kube-controller-manager) run there?`,
  );
};
