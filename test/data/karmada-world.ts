import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPerigee } from '@perigee/host/start-perigee';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { startControlPlane } from '../../tools/peers/control-plane.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { openFolder } from '../placement/perigee-process.ts';
import { type Shell, wordsOf } from '../placement/placement-world.ts';
import {
  KARMADA_CRDS,
  karmadaFolder,
  startKarmadaProgram,
  startKarmadaWebhook,
} from './karmada-programs.ts';

const cwd = new URL('../../', import.meta.url).pathname;
const MEMBERS = ['member1', 'member2', 'member3'];
/** In place of Karmada's aggregated API server, which is not played here. */
const CLUSTERS = 'deploy/crds/cluster.karmada.io_clusters.yaml';

/** A Karmada control plane with its own detector, scheduler and webhook, over three virtual members. */
export interface KarmadaWorld extends Shell, AsyncDisposable {
  readonly kubeconfig: string;
  /** Ends Karmada's controllers, and starts them anew: they look at everything again. */
  restartControllers(): Promise<void>;
  said(): string;
}

/** Whose API server stands below Karmada. */
export type ServerOf = 'Kubernetes' | 'Perigee';

const logger = createLogger({ clock: realClock, level: 'error' });

const openServer = async (of: ServerOf): Promise<AsyncDisposable & { kubeconfig: string }> =>
  of === 'Kubernetes'
    ? startControlPlane(karmadaFolder, { isDurable: false })
    : startPerigee({ members: 0, controllers: '', logger });

const VIEW = 'kubectl config view --raw --flatten -o json';

interface Named {
  readonly name: string;
}

interface Kubeconfig {
  readonly 'current-context': string;
  readonly clusters: readonly Named[];
  readonly users: readonly Named[];
  readonly contexts: readonly (Named & {
    readonly context: { readonly cluster: string; readonly user: string };
  })[];
}

/** The current context of one kubeconfig as `plane`, beside all of another, whatever their names. */
const beside = (plane: Kubeconfig, members: Kubeconfig): Kubeconfig => {
  const current = plane.contexts.find(({ name }) => name === plane['current-context'])?.context;
  const rename = (all: readonly Named[], name: string | undefined) =>
    all.filter((one) => one.name === name).map((one) => ({ ...one, name: 'plane' }));
  const context = { name: 'plane', context: { cluster: 'plane', user: 'plane' } };
  return {
    ...members,
    'current-context': 'plane',
    clusters: [...members.clusters, ...rename(plane.clusters, current?.cluster)],
    users: [...members.users, ...rename(plane.users, current?.user)],
    contexts: [...members.contexts, context],
  };
};

/** As `karmadactl join` does: an account in the member, whose token is in a Secret of the control plane. */
const join3 = async ({ run, apply }: Shell): Promise<void> => {
  await run('kubectl create namespace karmada-cluster');
  for (const member of MEMBERS) {
    const there = `kubectl --context=${member} -n default`;
    await run(`${there} create serviceaccount karmada`);
    await run(
      `${there} create clusterrolebinding karmada --clusterrole=cluster-admin --serviceaccount=default:karmada`,
    );
    const token = await run(`${there} create token karmada --duration=2h`);
    const view = `kubectl config view --raw --minify --flatten --context=${member} -o`;
    const authority = await run(
      `${view} jsonpath={.clusters[0].cluster.certificate-authority-data}`,
    );
    const server = await run(`${view} jsonpath={.clusters[0].cluster.server}`);
    await apply(
      `
apiVersion: v1
kind: Secret
metadata: { name: ${member} }
data:
  token: ${Buffer.from(token).toString('base64')}
  caBundle: ${authority}`,
      'karmada-cluster',
    );
    await apply(`
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: { name: ${member} }
spec:
  id: ${member}
  syncMode: Push
  apiEndpoint: ${server}
  secretRef: { namespace: karmada-cluster, name: ${member} }`);
  }
};

/** Karmada's own kinds; on our server, which has most of them, the others. */
const bringKinds = async ({ run }: Shell, of: ServerOf): Promise<void> => {
  if (of === 'Kubernetes') {
    await run(`kubectl apply --server-side -R -f ${KARMADA_CRDS}`);
    await run(`kubectl apply --server-side -f ${CLUSTERS}`);
  } else {
    // What is there is left as it is.
    await run(`kubectl create -R -f ${KARMADA_CRDS} 2>/dev/null || true`);
  }
  await run('kubectl wait --for=condition=Established crd --all --timeout=30s');
};

export const openKarmadaWorld = async (kubectl: string, of: ServerOf): Promise<KarmadaWorld> => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(openFolder());
  const members = stack.use(await startPerigee({ controllers: '', logger }));
  const server = stack.use(await openServer(of));
  const kubeconfig = join(folder.path, 'kubeconfig');
  const plain = stack.use(openKubectlShell({ kubectl, connection: [], namespace: 'default', cwd }));
  const read = async (path: string): Promise<Kubeconfig> =>
    JSON.parse(await wordsOf(plain).run(`KUBECONFIG=${path} ${VIEW}`));
  const both = beside(await read(server.kubeconfig), await read(members.kubeconfig));
  writeFileSync(kubeconfig, JSON.stringify(both), { mode: 0o600 });
  const connection = [`--kubeconfig=${kubeconfig}`];
  const shell = stack.use(openKubectlShell({ kubectl, connection, namespace: 'default', cwd }));
  const words = wordsOf(shell);
  await bringKinds(words, of);
  const webhook = stack.use(await startKarmadaWebhook(kubeconfig, folder.path));
  await words.apply(webhook.configuration);
  await words.run('kubectl create namespace karmada-system');
  await join3(words);
  const start = () =>
    startKarmadaProgram('karmada-controller-manager', kubeconfig, folder.path, [
      '--leader-elect=false',
      '--cluster-success-threshold=1s',
    ]);
  let controllers = start();
  stack.defer(() => controllers[Symbol.asyncDispose]());
  const scheduler = stack.use(
    startKarmadaProgram('karmada-scheduler', kubeconfig, folder.path, ['--leader-elect=false']),
  );
  await words.run('kubectl wait --for=condition=Ready clusters --all --timeout=30s');
  const running = stack.move();
  return {
    ...words,
    kubeconfig,
    restartControllers: async () => {
      await controllers[Symbol.asyncDispose]();
      controllers = start();
    },
    said: () => `${controllers.said()}${scheduler.said()}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
