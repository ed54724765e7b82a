import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';

/** A client of the throw-away kube-apiserver of PERIGEE_TEST_KUBECONFIG, where its user may do everything. */
export const openPeer = async (): Promise<Client & AsyncDisposable> => {
  const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG ?? '';
  const config = await loadClusterConfig({ env: {}, kubeconfig, clock: realClock });
  return createHttpClient(config, { clock: realClock });
};
