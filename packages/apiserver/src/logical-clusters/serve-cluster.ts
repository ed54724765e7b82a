import type { Logger } from '@perigee/kube/observe/logger';
import { present } from '@perigee/schema/present';
import { describeApi } from '../http/api-documents.ts';
import type { ServedApi } from '../http/served-api.ts';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import type { RequiredRights } from './kind-admission.ts';
import type { RunningCluster } from './logical-cluster.ts';
import { serveWithAccess } from './serve-with-access.ts';

/** Address, authorization and health of a server. */
export interface Serving extends Pick<ServedApi, 'authorize' | 'times' | 'checks'> {
  /** URL of the server, such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** Host and port alone. */
  readonly address: string;
  readonly version: string;
  readonly logger: Logger;
  /** Permissions that a write takes beside its verb. */
  readonly requiredRights: RequiredRights;
}

interface Door {
  readonly url: string;
  readonly address: string;
  readonly prefix: string;
}

/** The paths of the control plane begin at the root, those of a member behind its name. */
export const prefixOfCluster = (name: string): string =>
  name === ROOT_CLUSTER ? '' : `/clusters/${name}`;

const portOf = (url: string): string => {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'https:' ? '443' : '80');
};

const doorByPath = ({ url, address }: Serving, name: string): Door => {
  const prefix = prefixOfCluster(name);
  return { url: url + prefix, address, prefix };
};

const doorByHost = ({ url }: Serving, name: string): Door => {
  const address = `${name}.localhost:${portOf(url)}`;
  return { url: `${new URL(url).protocol}//${address}`, address, prefix: '' };
};

/** The API of a cluster, for requests by its path or by its host. */
export const serveCluster = (
  serving: Serving,
  { name, registry, access }: RunningCluster,
  by: 'path' | 'host',
): ServedApi => {
  const { authorize, times, checks, logger, version, requiredRights } = serving;
  const { url, address, prefix } = (by === 'path' ? doorByPath : doorByHost)(serving, name);
  const documents = describeApi(registry.resources, { serverAddress: address, version, prefix });
  const api: ServedApi = {
    registry,
    documents,
    logger,
    ...present({ authorize, times, checks }),
  };
  return access === undefined ? api : serveWithAccess(api, access, url, requiredRights);
};
