import { join } from 'node:path';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import type { Logger } from '@perigee/kube/observe/logger';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import { present } from '@perigee/schema/present';
import { checkDnsLabel } from '@perigee/schema/values/names';
import { type ClusterAccess, openClusterAccess } from '../authn/cluster-access.ts';
import type { StaticToken } from '../authn/static-token.ts';
import { clusterOfHost } from '../http/locate-cluster.ts';
import type { ServedApi } from '../http/served-api.ts';
import type { ServerTls } from '../http/server-tls.ts';
import { openPki, type Pki } from '../pki/pki.ts';
import { openSecretFolder, secretsInMemory } from '../pki/secret-files.ts';
import type { Registry } from '../registry/registry.ts';

export interface ServerAccessOptions extends Pick<ServedApi, 'authorize'> {
  /**
   * With `rbac`, the server uses TLS, authenticates all requests, and authorizes them by roles. With `open`, which
   * is the default, all requests are allowed.
   */
  readonly access?: 'open' | 'rbac';
  /** Further DNS names and addresses by which clients reach the server, for its certificate. */
  readonly serverNames?: readonly string[];
  /** Secrets that stand for users. */
  readonly staticTokens?: readonly StaticToken[];
}

/** Authentication and authorization of a server, in all of its clusters. */
export interface ServerAccess {
  readonly pki: Pki;
  /** The present certificate of the server. */
  readonly tls: ServerTls;
  /** The access to one cluster. */
  to(registry: Pick<Registry, 'store' | 'cluster' | 'clock'>): ClusterAccess;
}

interface Place {
  readonly clock: Clock;
  readonly dataFolder?: string;
  readonly tls?: ServerTls;
  readonly logger?: Logger;
}

/** Undefined for a server without authentication. Keys are in the folder `pki` below the server's own. */
export const openServerAccess = (
  options: ServerAccessOptions & Place,
): ServerAccess | undefined => {
  const {
    access = 'open',
    authorize,
    clock,
    dataFolder,
    logger,
    serverNames,
    staticTokens,
  } = options;
  if (access === 'open') return undefined;
  if (authorize !== undefined) {
    throw new ConfigError("give the server an authorize or the access 'rbac', not both");
  }
  const files =
    dataFolder === undefined ? secretsInMemory() : openSecretFolder(join(dataFolder, 'pki'));
  const pki = openPki({
    files,
    clock,
    ...present({ logger, names: serverNames }),
  });
  /** For every name, so that the response does not reveal which members exist. */
  const servingMember = (serverName: string): KeyPair | undefined => {
    const member = clusterOfHost(serverName);
    if (member === undefined || checkDnsLabel(member).length > 0) return undefined;
    return pki.issueServing(`${member}.localhost`);
  };
  return {
    pki,
    get tls() {
      const own = { ...pki.serving, certificateFor: servingMember };
      return { ...(options.tls ?? own), ca: pki.authority };
    },
    to: (registry) => openClusterAccess({ registry, pki, ...present({ staticTokens }) }),
  };
};
