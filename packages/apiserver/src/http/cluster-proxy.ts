import type { ApiError } from '@perigee/kube/errors';
import { goQuote } from '@perigee/schema/go-text';
import { present } from '@perigee/schema/present';
import { ANONYMOUS } from '../access/access.ts';
import type { RequestTarget } from '../request/request-target.ts';
import { refusal } from '../status/refusal.ts';
import { methodNotAllowed } from '../status/request-refusals.ts';
import type { Exchange } from './exchange.ts';
import type { ServedApi } from './served-api.ts';

const PROXY = 'proxy';

/** The member that a path leads to, and the path inside it. */
export interface ProxiedPath {
  readonly cluster: string;
  readonly path: string;
}

/** The path through the control plane to a member, such as `…/clusters/member1/proxy/api/v1/pods`. */
export const proxiedPath = (
  { memberKind }: ServedApi,
  target: RequestTarget | undefined,
  path: string,
): ProxiedPath | undefined => {
  const { group, version, plural, namespace, name, subresource = '' } = target ?? {};
  if (memberKind === undefined || group !== memberKind.group) return undefined;
  if (version !== memberKind.version || plural !== memberKind.plural) return undefined;
  if (!name || namespace !== undefined) return undefined;
  if (subresource !== PROXY && !subresource.startsWith(`${PROXY}/`)) return undefined;
  const prefix = `/apis/${group}/${version}/${plural}/${name}/${PROXY}`;
  return path.startsWith(prefix)
    ? { cluster: name, path: path.slice(prefix.length) || '/' }
    : undefined;
};

const notHere = ({ memberKind }: ServedApi, cluster: string): ApiError =>
  refusal(
    404,
    'NotFound',
    `no virtual member ${goQuote(cluster)} runs in this server, and its proxy leads to no others: use a context of that cluster`,
    { name: cluster, ...present({ group: memberKind?.group, kind: memberKind?.plural }) },
  );

/**
 * The API of a member for a user of the control plane's proxy. The user keeps the identity, with the permissions
 * that the roles of the member grant; no other credentials are used. The proxy is for reading: writes go through
 * the control plane.
 */
export const proxiedApi = (
  api: ServedApi,
  { method, user = ANONYMOUS }: Exchange,
  cluster: string,
): ServedApi => {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  const member = api.clusters?.(cluster, 'path');
  if (member === undefined) throw notHere(api, cluster);
  const { authorizeAs } = member;
  return authorizeAs === undefined
    ? member
    : { ...member, authorize: (attempt) => authorizeAs(user, attempt) };
};
