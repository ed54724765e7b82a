import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock as clock } from '@perigee/kube/clock/real-clock';

/** A control plane with a few clusters, as the server of commands. Prints the path of its kubeconfig. */
const folder = mkdtempSync(join(tmpdir(), 'perigee-bench-'));
const adminKubeconfig = join(folder, 'kubeconfig');
const { client } = await startEmbeddedServer({ clock, access: 'rbac', adminKubeconfig });
for (const name of ['north', 'south', 'east', 'west']) {
  await client.create(ClusterRecord, { metadata: { name }, spec: { cpuCapacity: 8 } });
}
process.once('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
process.send?.(adminKubeconfig);
