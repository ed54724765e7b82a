import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Perigee, startPerigee } from '@perigee/host/start-perigee';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { startControlPlane } from '../../tools/peers/control-plane.ts';
import { startControllerManager } from '../clients/controller-manager.ts';
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
/** In place of Karmada's aggregated API server, which is not played here. */
const CLUSTERS = 'deploy/crds/cluster.karmada.io_clusters.yaml';

/** A Karmada control plane with its own detector, scheduler and webhook, over virtual members. */
export interface KarmadaWorld extends Shell, AsyncDisposable {
  readonly kubeconfig: string;
  readonly members: Perigee;
  /** The processes of the control plane, which are not this one. */
  readonly pids: readonly number[];
  /** Ends Karmada's controllers, and starts them anew: they look at everything again. */
  restartControllers(): Promise<void>;
  said(): string;
}

/** The API server below Karmada. */
export type ServerOf = 'Kubernetes' | 'Perigee';

export interface KarmadaWorldOptions {
  readonly of: ServerOf;
  /** Number of members, 3 by default, and of the nodes of each. */
  readonly members?: number;
  readonly nodes?: number;
  /** True if each write is flushed before it is answered; false by default. */
  readonly isDurable?: boolean;
  /** True if its programs have no limit of requests per second; by default, their own limits hold. */
  readonly isUnlimited?: boolean;
}

const logger = createLogger({ clock: realClock, level: 'error' });

const LETS_GO = 'namespace-controller,garbage-collector-controller';

const NO_LIMITS = ['--kube-api-qps=100000', '--kube-api-burst=100000'];
const NO_LIMITS_OF_KARMADA = [
  ...NO_LIMITS,
  '--rate-limiter-qps=100000',
  '--rate-limiter-bucket-size=100000',
];
const NO_LIMITS_OF_MEMBERS = ['--cluster-api-qps=100000', '--cluster-api-burst=100000'];

interface Server extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly pids: readonly number[];
}

const openServer = async (options: KarmadaWorldOptions): Promise<Server> => {
  const { of, isDurable = false, isUnlimited = false } = options;
  await using stack = new AsyncDisposableStack();
  if (of === 'Perigee') {
    const { kubeconfig } = stack.use(await startPerigee({ members: 0, controllers: '', logger }));
    const resources = stack.move();
    return { kubeconfig, pids: [], [Symbol.asyncDispose]: () => resources.disposeAsync() };
  }
  const { kubeconfig, pids } = stack.use(await startControlPlane(karmadaFolder, { isDurable }));
  const program = join(karmadaFolder, 'kube-controller-manager');
  const flags = isUnlimited ? NO_LIMITS : [];
  const manager = stack.use(await startControllerManager(program, kubeconfig, LETS_GO, flags));
  const resources = stack.move();
  return {
    kubeconfig,
    pids: [...pids, manager.pid],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

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
const joinMembers = async ({ run, apply }: Shell, names: readonly string[]): Promise<void> => {
  await run('kubectl create namespace karmada-cluster');
  for (const member of names) {
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
    // Existing definitions stay as they are.
    await run(`kubectl create -R -f ${KARMADA_CRDS} 2>/dev/null || true`);
  }
  await run('kubectl wait --for=condition=Established crd --all --timeout=30s');
};

export const openKarmadaWorld = async (
  kubectl: string,
  options: KarmadaWorldOptions,
): Promise<KarmadaWorld> => {
  const { of, members: count = 3, nodes = 3, isUnlimited = false } = options;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(openFolder());
  const members = stack.use(await startPerigee({ members: count, nodes, controllers: '', logger }));
  const server = stack.use(await openServer(options));
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
  await joinMembers(
    words,
    members.members.map(({ metadata }) => metadata.name),
  );
  const limits = isUnlimited ? NO_LIMITS_OF_KARMADA : [];
  const start = () =>
    startKarmadaProgram('karmada-controller-manager', kubeconfig, folder.path, [
      '--leader-elect=false',
      '--cluster-success-threshold=1s',
      ...limits,
      ...(isUnlimited ? NO_LIMITS_OF_MEMBERS : []),
    ]);
  let controllers = start();
  stack.defer(() => controllers[Symbol.asyncDispose]());
  const scheduler = stack.use(
    startKarmadaProgram('karmada-scheduler', kubeconfig, folder.path, [
      '--leader-elect=false',
      ...limits,
    ]),
  );
  await words.run('kubectl wait --for=condition=Ready clusters --all --timeout=30s');
  const resources = stack.move();
  return {
    ...words,
    kubeconfig,
    members,
    get pids() {
      return [...server.pids, webhook.pid, controllers.pid, scheduler.pid];
    },
    restartControllers: async () => {
      await controllers[Symbol.asyncDispose]();
      controllers = start();
    },
    said: () => `${controllers.said()}${scheduler.said()}`,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
