import type { TLSSocket } from 'node:tls';
import type { Request } from '../request/request.ts';
import { refusal } from '../status/refusal.ts';
import type { Exchange } from './exchange.ts';
import type { ServedApi } from './served-api.ts';

const IN_PATH = /^\/clusters\/([^/]+)(\/.*)?$/;
/** One label before `localhost`, with or without a port, and with the dot that may end a full name. */
const IN_HOST = /^([a-z0-9-]+)\.localhost\.?(?::\d+)?$/i;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/** The member that a host names, such as `member1.localhost:6443`. */
export const clusterOfHost = (host: string | undefined): string | undefined =>
  IN_HOST.exec(host ?? '')?.[1]?.toLowerCase();

/** The host of an absolute request target overrides the header. */
const hostOf = (request: Request): string | undefined => {
  const hostInTarget = ABSOLUTE.exec(request.url ?? '')?.[1];
  if (hostInTarget !== undefined) return hostInTarget;
  return 'stream' in request ? request.authority : request.headers.host;
};

const serverNameOf = (request: Request): string | undefined => {
  const socket = 'stream' in request ? request.stream.session?.socket : request.socket;
  const { servername } = (socket ?? {}) as Partial<TLSSocket> & { servername?: unknown };
  return typeof servername === 'string' ? servername : undefined;
};

/**
 * The member in the host of a request, or in the server name of its connection (SNI), which works without DNS for
 * names below `localhost`. A connection to one member must not reach another one by the host.
 */
const namedCluster = (request: Request): string | undefined => {
  const byHost = clusterOfHost(hostOf(request));
  const byConnection = clusterOfHost(serverNameOf(request));
  if (byHost === undefined || byConnection === undefined || byHost === byConnection) {
    return byHost ?? byConnection;
  }
  throw refusal(
    421,
    'MisdirectedRequest',
    `this connection is to the cluster ${byConnection}: use another one for the cluster ${byHost}`,
  );
};

/**
 * The API that a request is for, with the path inside it. A member is named by the host, or else by the
 * beginning of the path.
 */
export const locateCluster = (
  api: ServedApi,
  exchange: Exchange,
): readonly [ServedApi, Exchange] => {
  const byHost = namedCluster(exchange.request);
  if (byHost !== undefined) {
    const cluster = api.clusters?.(byHost, 'host') ?? api.absent?.(byHost);
    if (cluster !== undefined) return [cluster, exchange];
    return [api, { ...exchange, path: `/clusters/${byHost}${exchange.path}` }];
  }
  const [, name, path = '/'] = IN_PATH.exec(exchange.path) ?? [];
  if (name === undefined) return [api, exchange];
  const cluster = api.clusters?.(name, 'path') ?? api.absent?.(name);
  return cluster === undefined ? [api, exchange] : [cluster, { ...exchange, path }];
};
