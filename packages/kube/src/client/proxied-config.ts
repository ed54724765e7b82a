import type { ClusterConfig } from './cluster-config.ts';

/** The connection to a member through the proxy of its control plane, as Karmada has it: with the same credentials. */
export const proxiedConfig = (control: ClusterConfig, cluster: string): ClusterConfig => ({
  ...control,
  server: `${control.server.replace(/(?<!\/)\/+$/, '')}/apis/cluster.karmada.io/v1alpha1/clusters/${encodeURIComponent(cluster)}/proxy`,
});
