import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { ClusterConfig } from '../client/cluster-config.ts';
import { type OpenOptions, readToken } from './open-context.ts';
import { readAuthorities } from './read-pem.ts';
import { refreshedCredentials } from './refreshed-credentials.ts';

export interface InClusterOptions extends OpenOptions {
  /** The folder in which the pod finds its service account. */
  readonly serviceAccount?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** True if this process runs in a pod that may speak to its API server. */
export const isInCluster = (env: OpenOptions['env']): boolean =>
  Boolean(env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT);

/** The API server of the cluster in which this process runs, as the pod's service account. */
export const inClusterConfig = async (options: InClusterOptions): Promise<ClusterConfig> => {
  const { serviceAccount: folder = SERVICE_ACCOUNT } = options;
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = options.env;
  const source = `the service account in ${folder}`;
  const tokenFile = join(folder, 'token');
  const credentials = refreshedCredentials(
    async () => ({ authorization: `Bearer ${await readToken(tokenFile, source)}` }),
    options,
  );
  await credentials();
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch(() => 'default');
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    source,
    namespace: namespace.trim(),
    caBundle: await readAuthorities({ path: join(folder, 'ca.crt') }, source),
    credentials,
  };
};
