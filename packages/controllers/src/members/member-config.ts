import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import { openContext } from '@perigee/kube/kubeconfig/open-context';
import { parseKubeconfig } from '@perigee/kube/kubeconfig/parse-kubeconfig';
import { resolveContext } from '@perigee/kube/kubeconfig/resolve-context';
import type { Secret } from '@perigee/kubernetes/core/secret';
import { present } from '@perigee/schema/present';
import { isSameAddress } from './same-address.ts';

type Reachable = Pick<MemberCluster, 'metadata' | 'spec'>;

const read = ({ data = {} }: Secret, key: string): string | undefined => {
  const encoded = data[key];
  return encoded ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
};

const sourceOf = ({ metadata: { namespace, name } }: Secret): string =>
  `the Secret ${namespace}/${name}`;

/**
 * A kubeconfig is self-contained, and its credentials are for its own server only: an address in the Cluster must
 * be the same. A proxy in the Cluster takes precedence.
 */
const fromKubeconfig = async (
  text: string,
  secret: Secret,
  { metadata, spec }: Reachable,
  clock: Clock,
): Promise<ClusterConfig> => {
  const name = sourceOf(secret);
  const context = resolveContext(await parseKubeconfig(text, { name }));
  // The message omits the server: its reader may not be allowed to read the Secret.
  if (spec.apiEndpoint && !isSameAddress(spec.apiEndpoint, context.cluster.server)) {
    throw new ConfigError(
      `spec.apiEndpoint of cluster ${metadata.name} is not the server of the kubeconfig in ${name}, which alone gets its credentials: leave spec.apiEndpoint out, or say the same`,
    );
  }
  const config = await openContext(context, { clock, env: {} });
  return {
    ...config,
    ...present({ proxyUrl: spec.proxyURL || undefined }),
  };
};

const fromToken = (secret: Secret, { metadata, spec }: Reachable): ClusterConfig => {
  const token = read(secret, 'token');
  const source = sourceOf(secret);
  if (!spec.apiEndpoint) {
    throw new ConfigError(
      `cluster ${metadata.name} has no address: set spec.apiEndpoint, or put a kubeconfig into ${source}`,
    );
  }
  if (token === undefined) {
    throw new ConfigError(
      `${source} has neither a token nor a kubeconfig: give it one, or correct spec.secretRef of cluster ${metadata.name}`,
    );
  }
  const caBundle = read(secret, 'caBundle');
  const insecureSkipTlsVerify = spec.insecureSkipTLSVerification === true;
  const credentials = { authorization: `Bearer ${token.trim()}` };
  return {
    server: spec.apiEndpoint,
    source,
    insecureSkipTlsVerify,
    ...present({
      caBundle: insecureSkipTlsVerify ? undefined : caBundle,
      proxyUrl: spec.proxyURL || undefined,
    }),
    credentials: async () => credentials,
  };
};

/** Builds the client configuration of a member from its Cluster and its Secret. */
export const memberConfig = async (
  cluster: Reachable,
  secret: Secret,
  clock: Clock,
): Promise<ClusterConfig> => {
  const kubeconfig = read(secret, 'kubeconfig');
  return kubeconfig === undefined
    ? fromToken(secret, cluster)
    : fromKubeconfig(kubeconfig, secret, cluster, clock);
};

/** A text that changes whenever the connection settings do. */
export const routeTo = ({ spec }: MemberCluster, { data = {} }: Secret): string =>
  JSON.stringify([
    spec.apiEndpoint,
    spec.insecureSkipTLSVerification,
    spec.proxyURL,
    data.token,
    data.caBundle,
    data.kubeconfig,
  ]);
