import type { Client } from '@perigee/kube/client/client';
import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import { ensure } from '@perigee/kube/client/ensure';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { FIELD_MANAGER, type IssuedToken } from './issued-token.ts';
import { JOINED } from './member-objects.ts';

/** The namespace for member credentials only, as in Karmada. */
export const CREDENTIALS_NAMESPACE = 'karmada-cluster';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const ensureNamespace = async (client: Client, name: string): Promise<void> => {
  await ensure(client, Namespace, { metadata: { name } });
};

/** A self-contained kubeconfig: the server's address, its CA and a token. */
export const kubeconfigWith = (
  name: string,
  { server, tlsServerName, insecureSkipTlsVerify, proxyUrl, caBundle }: ClusterConfig,
  { token, authority }: IssuedToken,
): JsonObject => {
  const signedBy = caBundle ?? authority;
  const cluster = {
    server,
    ...present({ 'tls-server-name': tlsServerName, 'proxy-url': proxyUrl }),
    ...(insecureSkipTlsVerify
      ? { 'insecure-skip-tls-verify': true }
      : signedBy === undefined
        ? {}
        : { 'certificate-authority-data': base64(signedBy) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name: 'perigee', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'perigee' } }],
    'current-context': name,
  };
};

const ownSecret = (client: Client, name: string): Promise<Secret | undefined> =>
  getOrUndefined(client, Secret, { namespace: CREDENTIALS_NAMESPACE, name });

/** The Secret that joining a cluster created; one without the mark of a join is ignored. */
export const findCredentials = async (
  client: Client,
  name: string,
): Promise<Secret | undefined> => {
  const secret = await ownSecret(client, name);
  return secret?.metadata.labels?.[JOINED] === name ? secret : undefined;
};

/** Stores a kubeconfig in the Secret of a cluster. Refuses to overwrite a Secret that no join created. */
export const keepCredentials = async (
  client: Client,
  name: string,
  kubeconfig: JsonObject,
): Promise<{ readonly namespace: string; readonly name: string }> => {
  const ref = { namespace: CREDENTIALS_NAMESPACE, name };
  const present = await ownSecret(client, name);
  if (present !== undefined && present.metadata.labels?.[JOINED] !== name) {
    throw new CommandError(
      EXIT.conflict,
      `there is a Secret ${ref.namespace}/${name} that no join has made: choose another name, or delete it`,
    );
  }
  await ensureNamespace(client, CREDENTIALS_NAMESPACE);
  const labels = { 'app.kubernetes.io/part-of': 'perigee', [JOINED]: name };
  const data = { kubeconfig: base64(JSON.stringify(kubeconfig)) };
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { ...ref, labels }, data };
  const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
  await client.patch(Secret, ref, patch);
  return ref;
};

export const removeCredentials = async (client: Client, { metadata }: Secret): Promise<void> => {
  const { namespace = CREDENTIALS_NAMESPACE, name, uid } = metadata;
  const options = { preconditions: { uid } };
  await client.delete(Secret, { namespace, name }, options).catch(ignoreNotFound);
};
