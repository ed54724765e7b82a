import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { hasApiServer, noKarmada } from '../data/karmada-programs.ts';
import { type KarmadaWorld, openKarmadaWorld, type ServerOf } from '../data/karmada-world.ts';
import { startPerigeeProcess } from '../placement/perigee-process.ts';

const kubectl = kubectlBinary();
const skip = kubectl.skip || noKarmada;

const QUEUES = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: science }
spec: { capability: { cpu: 2 } }
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: physics }
spec: { parent: science, capability: { cpu: 2 } }`;

const TOO_MUCH = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: chemistry }
spec: { parent: science, capability: { cpu: 3 } }`;

const POLICY = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: work }
spec:
  resourceSelectors:
    - { apiVersion: batch/v1, kind: Job }
    - { apiVersion: apps/v1, kind: Deployment, name: plain }
  placement:
    replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated }`;

const job = (name: string, runFor: string, pods = 2) => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, labels: { volcano.sh/queue-name: physics } }
spec:
  parallelism: ${pods}
  completions: ${pods}
  template:
    metadata: { annotations: { member.perigee.io/run-for: ${runFor} } }
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: app, resources: { requests: { cpu: "1" } } }]`;

/** What a user of Karmada does to have queues, and nothing else of Perigee. */
const addQueues = async ({ run, until, kubeconfig }: KarmadaWorld) => {
  await using stack = new AsyncDisposableStack();
  const names = [
    'cluster.perigee.io_clusterrooms',
    'datadependency.volcano.sh_datasources',
    'datadependency.volcano.sh_datasourceclaims',
    'scheduling.volcano.sh_queues',
  ];
  const crds = names.map((name) => `-f deploy/crds/${name}.yaml`);
  await run(`kubectl apply --server-side --force-conflicts ${crds.join(' ')}`);
  await run('kubectl wait --for=condition=Established crd --all --timeout=30s');
  const common = ['--kubeconfig', kubeconfig, '--listen', '0'];
  const kinds = 'resourcebindings,datasources,datasourceclaims,queues';
  stack.use(await startPerigeeProcess(['webhook', '--kinds', kinds, ...common], 'is at work'));
  const startDispatcher = () =>
    startPerigeeProcess(['controllers', '--controllers=dispatcher,gate', ...common], 'are at work');
  let dispatcher = await startDispatcher();
  stack.defer(() => dispatcher[Symbol.asyncDispose]());
  await until('kubectl get queue default -o jsonpath={.status.state}', 'Open');
  const running = stack.move();
  return {
    restart: async () => {
      await dispatcher[Symbol.asyncDispose]();
      dispatcher = await startDispatcher();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};

const status = `kubectl get queue physics -o 'jsonpath={.status.pending} {.status.running} {.status.completed} {.status.allocated}'`;
const admitted = (name: string) =>
  `kubectl get rb ${name}-job -o 'jsonpath={.status.conditions[?(@.type=="Admitted")].reason}'`;

const story = async (world: KarmadaWorld): Promise<void> => {
  const { run, until, apply } = world;
  await using queues = await addQueues(world);
  await apply(QUEUES);
  const refused = await run(`cat <<'EOF' | kubectl apply -f - 2>&1 || true\n${TOO_MUCH}\nEOF`);
  assert.match(refused, /spec\.capability\[cpu\].*"3".*the capability of science.* is 2/);
  await apply(POLICY);
  await apply(job('first', '1h'));
  await until(status, '0 1 0 {"cpu":"2","pods":"2"}');
  await apply(job('second', '2s'));
  await apply(job('huge', '2s', 3));
  await until(admitted('second'), 'WaitingForQuota');
  await until(admitted('huge'), 'NeverFits');
  assert.equal(await run('kubectl get rb second-job -o jsonpath={.spec.clusters}'), '');
  // Whoever lets held work go on their own does not get past the queue.
  await run(
    `kubectl patch rb second-job --type=merge -p '{"spec":{"suspension":{"scheduling":false}}}'`,
  );
  assert.equal(
    await run('kubectl get rb second-job -o jsonpath={.spec.suspension.scheduling}'),
    'true',
  );
  // Karmada's detector writes the binding again, and what it knows of suspension is nothing.
  await world.restartControllers();
  await run('kubectl label job second tier=night');
  await queues.restart();
  await until(status, '2 1 0 {"cpu":"2","pods":"2"}');
  assert.equal(await run('kubectl get rb second-job -o jsonpath={.spec.clusters}'), '');
  await run('kubectl delete job first');
  await until(`kubectl get job second -o 'jsonpath={.status.succeeded}'`, '2');
  await until(status, '1 0 1 {}');
  await run('kubectl create deployment plain --image=nginx --replicas=1');
  await run('kubectl rollout status deployment plain --timeout=60s');
  const plain = await run('kubectl get rb plain-deployment -o yaml --show-managed-fields');
  assert.doesNotMatch(plain, /perigee/, 'work without a queue is left alone');
  assert.doesNotMatch(world.said(), /panic|^F\d{4}/m);
};

suite("queues beside Karmada's own detector, scheduler and webhook", { skip }, () => {
  const servers: readonly ServerOf[] = hasApiServer ? ['Kubernetes', 'Perigee'] : ['Perigee'];
  for (const of of servers) {
    test(`hold work until its turn, on the API server of ${of}`, async () => {
      await using world = await openKarmadaWorld(kubectl.path, of);
      try {
        await story(world);
      } catch (cause) {
        const objects = await world.run('kubectl get rb,queue -o yaml');
        throw new Error(`${objects}\n${world.said().slice(-5000)}`, { cause });
      }
    });
  }
});
