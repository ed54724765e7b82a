import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { Secret } from '@perigee/kubernetes/core/secret';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import { signLegacyToken } from './legacy-token.ts';
import type { TokenIssuer } from './token-issuer.ts';

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
const BY_ACCOUNT = 'token secrets by service account';

const accountOf = ({ type, metadata }: Secret): string =>
  type === TOKEN_TYPE ? (metadata.annotations?.[ACCOUNT_NAME] ?? '') : '';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export interface TokenSecretOptions {
  readonly issuer: Pick<TokenIssuer, 'key'>;
  /** The certificate of the server's authority, in PEM, for the clients that use a token. */
  readonly authority: string;
}

/** A concurrent change of the secret triggers the next reconcile. */
const unlessChanged = async (write: Promise<unknown>): Promise<void> => {
  try {
    await write;
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
};

/** The secret with all that a token secret holds; undefined when it has that already. */
const filledIn = (
  secret: Secret,
  account: KubeObject,
  { issuer, authority }: TokenSecretOptions,
): Secret | undefined => {
  const { name, namespace = '', annotations } = secret.metadata;
  const { name: accountName, uid } = account.metadata;
  const { data = {} } = secret;
  const claims = { namespace, secret: name, account: accountName, uid };
  const desiredData = { 'ca.crt': base64(authority), namespace: base64(namespace) };
  const isWhole =
    Boolean(data.token) &&
    data['ca.crt'] === desiredData['ca.crt'] &&
    data.namespace === desiredData.namespace &&
    annotations?.[ACCOUNT_UID] === uid;
  if (isWhole) return undefined;
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations: { ...annotations, [ACCOUNT_UID]: uid } },
    data: {
      ...data,
      ...desiredData,
      token: data.token || base64(signLegacyToken(issuer.key, claims)),
    },
  };
};

const reconcile = async (
  client: Client,
  ref: ObjectRef,
  options: TokenSecretOptions,
): Promise<void> => {
  const secret = await getOrUndefined(client, Secret, ref);
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return;
  const accountName = accountOf(secret);
  if (accountName === '') return;
  const { namespace = '', annotations = {}, uid, resourceVersion } = secret.metadata;
  const account = await getOrUndefined(client, ServiceAccount, { name: accountName, namespace });
  const expectedUid = annotations[ACCOUNT_UID] ?? account?.metadata.uid;
  if (account === undefined || account.metadata.uid !== expectedUid) {
    const preconditions = { uid, resourceVersion };
    return unlessChanged(client.delete(Secret, ref, { preconditions }));
  }
  const next = filledIn(secret, account, options);
  if (next !== undefined) await unlessChanged(client.update(Secret, next));
};

/**
 * Gives a token to every Secret of the type for them, as kube-controller-manager does, and removes those
 * whose service account is gone.
 */
export const tokenSecretController = (options: TokenSecretOptions): ControllerDefinition =>
  defineController({
    name: 'token-secrets',
    for: Secret,
    when: (now) => now !== undefined && accountOf(now) !== '',
    indexes: [
      index(Secret, BY_ACCOUNT, (secret) => {
        const account = accountOf(secret);
        return account === '' ? [] : [`${secret.metadata.namespace}/${account}`];
      }),
    ],
    watches: [
      watch(ServiceAccount, {
        map: ({ metadata: { name, namespace = '' } }, caches) =>
          caches(Secret)
            .byIndex(BY_ACCOUNT, `${namespace}/${name}`)
            .map(({ metadata }) => ({ name: metadata.name, namespace })),
      }),
    ],
    needsLeader: false,
    async reconcile(ref, { client }) {
      await reconcile(client, ref, options);
      return undefined;
    },
  });
