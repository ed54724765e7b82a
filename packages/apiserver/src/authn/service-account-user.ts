import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { present } from '@perigee/schema/present';
import { checkDnsLabel, checkDnsSubdomain } from '@perigee/schema/values/names';

const PREFIX = 'system:serviceaccount:';

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
export const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** A service account by name, with the claims of its token about the pod and node. */
export interface ServiceAccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid?: string };
  /** Distinguishes tokens. */
  readonly tokenId?: string;
}

export const serviceAccountUsername = (namespace: string, name: string): string =>
  `${PREFIX}${namespace}:${name}`;

export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** The service account of a user name. */
export const splitServiceAccountUsername = (
  username: string,
): { readonly namespace: string; readonly name: string } | undefined => {
  if (!username.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = username.slice(PREFIX.length).split(':');
  const isValid =
    rest.length === 0 &&
    checkDnsLabel(namespace).length === 0 &&
    checkDnsSubdomain(name).length === 0;
  return isValid ? { namespace, name } : undefined;
};

export const serviceAccountUser = (identity: ServiceAccountIdentity): UserInfo => {
  const { namespace, name, uid, pod, node, tokenId } = identity;
  const extra = present({
    'authentication.kubernetes.io/pod-name': pod && [pod.name],
    'authentication.kubernetes.io/pod-uid': pod && [pod.uid],
    [CREDENTIAL_ID]: tokenId === undefined ? undefined : [`JTI=${tokenId}`],
    [NODE_NAME]: node && [node.name],
    'authentication.kubernetes.io/node-uid': node?.uid ? [node.uid] : undefined,
  });
  return {
    name: serviceAccountUsername(namespace, name),
    uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
};
