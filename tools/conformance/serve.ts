import { join } from 'node:path';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { writeAdminKubeconfig } from '@perigee/apiserver/pki/admin-kubeconfig';
import { realClock } from '@perigee/kube/clock/real-clock';

/** Serves until it is told to end. A kube-controller-manager beside it does what controllers do. */
const [, , folder] = process.argv;
if (folder === undefined) throw new TypeError('say in which folder: node serve.ts <folder>');
const server = await startEmbeddedServer({
  clock: realClock,
  dataFolder: join(folder, 'data'),
  access: 'rbac',
  clusterControllers: false,
  serviceAccountTokens: true,
  historyAgeMs: 60_000,
});
if (server.pki === undefined) throw new TypeError('a server with the access rbac has keys');
writeAdminKubeconfig(join(folder, 'admin.conf'), { url: server.url, pki: server.pki });
console.log(server.url);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void server[Symbol.asyncDispose]());
}
