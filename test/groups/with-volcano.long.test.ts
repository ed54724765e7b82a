import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { createLogger } from '@perigee/kube/observe/logger';
import { perigee } from '../../packages/cli/test/command-line.ts';
import { startControlPlane } from '../../tools/peers/control-plane.ts';
import { PeerProcess } from '../../tools/peers/peer-process.ts';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { startControllerManager } from '../clients/controller-manager.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { openFolder, startPerigeeProcess } from '../placement/perigee-process.ts';
import { playKubelet } from './play-kubelet.ts';
import { applyIn, prepareSeedCases, runIn, type SeedWorld, seedCases } from './seed-cases.ts';

const { PERIGEE_TEST_VOLCANO: folder = '' } = process.env;
const PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'volcano-controllers',
  'volcano-scheduler',
];
const isThere = PROGRAMS.every((name) => existsSync(join(folder, name)));
const kubectl = kubectlBinary();
const skip =
  kubectl.skip ||
  (!isThere &&
    `set PERIGEE_TEST_VOLCANO to a folder with ${PROGRAMS.join(', ')} and crds, Volcano’s definitions`);

/** Nobody looks after nodes here. */
const CONTROLLERS = '*,-node-lifecycle-controller,-node-ipam-controller';

const NODE = `
apiVersion: v1
kind: Node
metadata: { name: one, labels: { kubernetes.io/hostname: one } }`;

const NODE_STATUS = {
  status: {
    allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
    capacity: { cpu: '4', memory: '16Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Played', message: 'It runs nothing.' }],
  },
};

const gang = (name: string, replicas: number) => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  annotations: { scheduling.volcano.sh/group-min-member: "${replicas}" }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      schedulerName: volcano
      containers: [{ name: main, image: nginx, resources: { requests: { cpu: "1" } } }]`;

describe('beside kube-apiserver, kube-controller-manager and Volcano’s scheduler', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let world: SeedWorld;
  before(async () => {
    const plane = stack.use(await startControlPlane(folder, { isDurable: false }));
    const { kubeconfig } = plane;
    const connection = ['--kubeconfig', kubeconfig];
    const cwd = new URL('../../', import.meta.url).pathname;
    const shell = stack.use(
      openKubectlShell({ kubectl: kubectl.path, connection, namespace: 'default', cwd }),
    );
    world = { shell, kubeconfig, context: 'peer' };
    await runIn(world, `kubectl apply --server-side -f ${join(folder, 'crds')}`);
    await runIn(world, 'kubectl wait --for=condition=Established crd --all --timeout=30s');
    await applyIn(world, NODE);
    const status = JSON.stringify(NODE_STATUS);
    await runIn(world, `kubectl patch node one --subresource=status --type=merge -p '${status}'`);
    await runIn(world, 'kubectl patch node one --type=merge -p \'{"spec":{"taints":null}}\'');
    await prepareSeedCases(world);
    stack.use(
      await startControllerManager(
        join(folder, 'kube-controller-manager'),
        kubeconfig,
        CONTROLLERS,
      ),
    );
    const logs = stack.use(openFolder());
    const startVolcano = (name: string, ...flags: readonly string[]) => {
      const log = join(logs.path, `${name}.log`);
      stack.use(new PeerProcess(join(folder, name), [`--kubeconfig=${kubeconfig}`, ...flags], log));
    };
    startVolcano('volcano-controllers', '--controllers=*,-pg-controller', '--leader-elect=true');
    startVolcano('volcano-scheduler', '--leader-elect=false', '--cache-dumper=false');
    const config = await loadClusterConfig({ kubeconfig, env: {}, clock, interactive: false });
    const logger = createLogger({ clock, level: 'error' });
    const client = stack.use(createHttpClient(config, { clock, logger }));
    stack.use(playKubelet(client));
    const args = ['podgroups', '--kubeconfig', kubeconfig, '--listen', '0'];
    const lease = 'kubectl -n volcano-system get lease vc-controller-manager';
    await runIn(world, `for i in $(seq 20); do ${lease} && break; sleep 1; done 2>/dev/null`);
    const { stderr } = await perigee(args);
    assert.match(stderr, /Volcano’s own controllers run in this cluster/);
    stack.use(await startPerigeeProcess([...args, '--beside-volcano'], 'are put into groups'));
  });
  after(() => stack.disposeAsync());

  seedCases(() => world);

  it('starts a gang that fits whole, and one that does not not at all', async () => {
    const run = (command: string) => runIn(world, command);
    await run('kubectl delete deployment,job,pod --all --wait=false');
    await run('kubectl wait --for=delete pod --all --timeout=30s');
    await applyIn(world, gang('fits', 3));
    await run('kubectl rollout status deployment/fits --timeout=28s');
    await applyIn(world, gang('toobig', 2));
    const group =
      "kubectl get podgroups -o 'jsonpath={range .items[*]}{.metadata.ownerReferences[0].name}={.spec.minMember}/{.status.phase} {end}'";
    const waiting = `for i in $(seq 20); do ${group} | grep -q 'toobig=2/[PI]' && break; sleep 1; done; ${group}`;
    assert.match(await run(waiting), /toobig=2\/(Pending|Inqueue)/);
    const nodes = "kubectl get pods -l app=toobig -o 'jsonpath={.items[*].spec.nodeName}'";
    assert.equal(await run(nodes), '', 'one of two would fit');
    await run('kubectl scale deployment fits --replicas=0');
    await run('kubectl rollout status deployment/toobig --timeout=28s');
  });
});
