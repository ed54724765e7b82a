import type { ClusterConfig } from '../client/cluster-config.ts';
import { NoKubeconfigError } from '../errors.ts';
import { type InClusterOptions, inClusterConfig, isInCluster } from './in-cluster.ts';
import { type LoadOptions, loadKubeconfig } from './load-kubeconfig.ts';
import { openContext } from './open-context.ts';
import { resolveContext } from './resolve-context.ts';

export interface LoadClusterOptions extends LoadOptions, InClusterOptions {
  /** The context to use, if not the current one. */
  readonly context?: string;
}

/**
 * The cluster that the user means, found as kubectl finds it: by the kubeconfig named, by `$KUBECONFIG`,
 * by `~/.kube/config`, or else the cluster in which this process runs.
 */
export const loadClusterConfig = async (options: LoadClusterOptions): Promise<ClusterConfig> => {
  const config = await loadKubeconfig(options);
  if (config) return openContext(resolveContext(config, options.context), options);
  if (options.context === undefined && isInCluster(options.env)) return inClusterConfig(options);
  throw new NoKubeconfigError();
};
