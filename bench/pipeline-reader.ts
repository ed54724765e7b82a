import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Deployment } from '@perigee/kubernetes/apps/deployment';

const PAUSE_MS = 20;

/** A reader in a process of its own that lists a namespace again and again, as `kubectl get` does. */
const [kubeconfig = '', namespace = ''] = process.argv.slice(2);
const config = await loadClusterConfig({ kubeconfig, env: {}, clock, interactive: false });
const client = createHttpClient(config, { clock });
const times: number[] = [];
let isStopped = false;

// The connection is opened before the load begins.
await client.list(Deployment, { namespace });
process.once('message', () => {
  isStopped = true;
});
process.once('disconnect', () => process.exit());
process.send?.(times);
while (!isStopped) {
  const from = performance.now();
  await client.list(Deployment, { namespace });
  times.push(performance.now() - from);
  await clock.sleep(PAUSE_MS);
}
process.send?.(times, () => process.exit());
