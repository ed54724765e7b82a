import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { ObjectRef } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';

const FIELD_MANAGER = 'perigee-up';
/** The namespace in which Karmada keeps member credentials. */
const NAMESPACE = 'karmada-cluster';
const USER = 'perigee-controllers';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * Writes the Secret with which controllers of other processes reach a member of this one. Its client
 * certificate is valid for that member only. Writes nothing when the server does not authenticate.
 */
export const keepMemberSecret = async (
  { client, pki }: EmbeddedServer,
  name: string,
  url: string,
): Promise<Required<ObjectRef> | undefined> => {
  if (pki === undefined) return undefined;
  const { cert, key } = pki.issueClient({
    user: USER,
    groups: ['system:masters'],
    clusters: [name],
  });
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server: url, 'certificate-authority-data': base64(pki.authority) } },
    ],
    users: [
      {
        name: USER,
        user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: USER } }],
    'current-context': name,
  };
  await ensure(client, Namespace, { metadata: { name: NAMESPACE } });
  const ref = { namespace: NAMESPACE, name };
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: ref,
    data: { kubeconfig: base64(JSON.stringify(kubeconfig)) },
  };
  await client.patch(Secret, ref, {
    type: 'apply',
    body,
    fieldManager: FIELD_MANAGER,
    force: true,
  });
  return ref;
};

/** Deletes the Secret of a member that is gone, if there is one. */
export const removeMemberSecret = async (
  { client }: EmbeddedServer,
  name: string,
): Promise<void> => {
  await client.delete(Secret, { namespace: NAMESPACE, name }).catch(ignoreNotFound);
};
