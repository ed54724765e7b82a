import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { openHttpPeer } from './http-peer.ts';
import { DEFINITIONS } from './kinds/crds.ts';
import type { Peer } from './peer.ts';

/** A new embedded server, in memory. */
export const openEmbeddedPeer = async (): Promise<Peer> => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(
    await startEmbeddedServer({ clock: realClock, graceMs: 100, clusterControllers: false }),
  );
  const peer = stack.use(await openHttpPeer('embedded', { server: server.url }));
  const resources = stack.move();
  return { ...peer, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

/** The server that a kubeconfig leads to. */
export const openKubernetesPeer = async (kubeconfig: string): Promise<Peer> => {
  const config = await loadClusterConfig({ env: {}, kubeconfig, clock: realClock });
  const peer = await openHttpPeer('kube-apiserver', config);
  const { status, body } = await peer.send({ method: 'GET', path: '/version' });
  if (status !== 200) throw new Error(`${config.server} answered ${status} to /version`);
  const { gitVersion } = body as { gitVersion?: string };
  return { ...peer, name: `kube-apiserver ${gitVersion}` };
};

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const isServed = async (peer: Peer, plural: string): Promise<boolean> => {
  const path = `/apis/differential.perigee.dev/v1/${plural}`;
  return (await peer.send({ method: 'GET', path })).status === 200;
};

/** Installs the definitions of the custom kinds, and waits until the server serves them. */
export const installDefinitions = async (peer: Peer): Promise<void> => {
  for (const definition of DEFINITIONS) {
    const { name } = definition.metadata as { name: string };
    const path = `${CRDS}/${name}?fieldManager=differential&force=true`;
    const body = JSON.stringify(definition);
    const answer = await peer.send({
      method: 'PATCH',
      path,
      contentType: 'application/apply-patch+yaml',
      body,
    });
    if (answer.status >= 300) {
      throw new Error(`${peer.name} refuses ${name}: ${JSON.stringify(answer.body)}`);
    }
    const [plural = ''] = name.split('.');
    while (!(await isServed(peer, plural))) await realClock.sleep(100);
  }
};
