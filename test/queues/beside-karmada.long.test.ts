import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { RESERVED } from '@perigee/scheduling/placement/binding/queue-marks';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { watchBindings } from '../data/binding-versions.ts';
import { hasApiServer, noKarmada } from '../data/karmada-programs.ts';
import { type KarmadaWorld, openKarmadaWorld, type ServerOf } from '../data/karmada-world.ts';
import { startPerigeeProcess } from '../placement/perigee-process.ts';

const kubectl = kubectlBinary();
const skip = kubectl.skip || noKarmada;
const main = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;

const QUEUES = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: science }
spec: { capability: { cpu: 2 } }
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: services }
spec: { capability: { cpu: 4 } }
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: urgent }
value: 1000
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: { name: classes }
spec:
  resourceSelectors: [{ apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, name: urgent }]
  placement: { replicaScheduling: { replicaSchedulingType: Duplicated } }`;

const policy = (name: string, kind: string, more = '') => `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: ${name} }
spec:
  resourceSelectors: [{ ${kind} }]${more}
  placement:
    replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated }`;

const JOBS = policy('jobs', 'apiVersion: batch/v1, kind: Job');
const SERVICE = policy('service', 'apiVersion: apps/v1, kind: Deployment, name: web');
const SUSPENDED = policy(
  'quiet',
  'apiVersion: apps/v1, kind: Deployment, name: quiet',
  '\n  suspension: { dispatching: true }',
);
const PLAIN = policy('plain', 'apiVersion: apps/v1, kind: Deployment, name: plain');

const job = (name: string, runFor: string, priority = '') => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, labels: { volcano.sh/queue-name: science } }
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: { annotations: { member.perigee.io/run-for: ${runFor} } }
    spec:
      ${priority && `priorityClassName: ${priority}`}
      restartPolicy: Never
      containers: [{ name: main, image: app, resources: { requests: { cpu: "1" } } }]`;

const deployment = (name: string, replicas: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, labels: { volcano.sh/queue-name: services } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: app, resources: { requests: { cpu: "1" } } }] }`;

const binding = (name: string, path: string) => `kubectl get rb ${name} -o 'jsonpath={${path}}'`;
const admitted = (name: string) =>
  binding(name, '.status.conditions[?(@.type=="Admitted")].reason');
const counts = (queue: string) =>
  `kubectl get queue ${queue} -o 'jsonpath={.status.pending} {.status.running} {.status.completed} {.status.allocated}'`;

/** A version of queued work that a scheduler has placed although no queue had let it through. */
const placedTooEarly = ({ metadata, spec }: ResourceBinding): readonly string[] =>
  /^(first|second|third|web|quiet)-/.test(metadata.name) &&
  (spec.clusters ?? []).length > 0 &&
  metadata.annotations?.[RESERVED] === undefined
    ? [metadata.name]
    : [];

/** Steps of a user of Karmada to get queues, and nothing else of Perigee. */
const addQueues = async ({ run, until, kubeconfig }: KarmadaWorld) => {
  await using stack = new AsyncDisposableStack();
  const crds = [
    'scheduling.volcano.sh_queues',
    'cluster.perigee.io_clusterrooms',
    'datadependency.volcano.sh_datasources',
    'datadependency.volcano.sh_datasourceclaims',
  ].map((name) => `-f deploy/crds/${name}.yaml`);
  await run(`kubectl apply --server-side --force-conflicts ${crds.join(' ')}`);
  await run('kubectl wait --for=condition=Established crd --all --timeout=30s');
  const common = ['--kubeconfig', kubeconfig, '--listen', '0'];
  const kinds = 'resourcebindings,queues,datasources,datasourceclaims';
  stack.use(await startPerigeeProcess(['webhook', '--kinds', kinds, ...common], 'is at work'));
  const names = '--controllers=dispatcher,gate';
  stack.use(await startPerigeeProcess(['controllers', names, ...common], 'are at work'));
  await until('kubectl get queue default -o jsonpath={.status.state}', 'Open');
  return stack.move();
};

const story = async (world: KarmadaWorld): Promise<void> => {
  const { run, until, untilSpread, apply } = world;
  const perigee = `${process.execPath} ${main} --kubeconfig=${world.kubeconfig}`;
  // Karmada alone, as it was before.
  await run('kubectl create deployment plain --image=nginx --replicas=1');
  await apply(PLAIN);
  await until(binding('plain-deployment', '.status.aggregatedStatus[0].health'), 'Healthy');
  await using _queues = await addQueues(world);
  await using early = await watchBindings(world.kubeconfig, placedTooEarly);

  await apply(QUEUES);
  await apply(JOBS);
  await apply(job('first', '1h'));
  await until(counts('science'), '0 1 0 {"cpu":"2","pods":"2"}');
  await apply(job('second', '1s'));
  await until(admitted('second-job'), 'WaitingForQuota');
  await apply(job('third', '1h', 'urgent'));
  await until(admitted('third-job'), 'WaitingForQuota');
  assert.match(await run(`${perigee} queue why job/second`), /WaitingForQuota[\s\S]*2 of 2/);
  await run('kubectl delete job first');
  await until(counts('science'), '1 1 0 {"cpu":"2","pods":"2"}');
  assert.equal(await run(binding('second-job', '.spec.clusters')), '', 'the urgent one goes first');
  await run('kubectl delete job third');
  await until(`kubectl get job second -o 'jsonpath={.status.succeeded}'`, '2');
  await until(counts('science'), '0 0 1 {}');
  // Karmada's scheduler writes all conditions as it last read them.
  await until(admitted('second-job'), 'Admitted');

  // Karmada's detector writes the binding anew at each change, and when it starts: held work stays held.
  await apply(SERVICE);
  await apply(deployment('web', 5));
  await until(admitted('web-deployment'), 'NeverFits');
  await run('kubectl label deployment web tier=front');
  await world.restartControllers();
  await run('kubectl scale deployment web --replicas=6');
  await until(binding('web-deployment', '.spec.replicas'), '6');
  assert.equal(await run(binding('web-deployment', '.spec.suspension')), '{"scheduling":true}');
  await run('kubectl scale deployment web --replicas=2');
  await until(counts('services'), '0 1 0 {"cpu":"2","pods":"2"}');
  await untilSpread('web', /2\/2/);
  // Scaling of work that runs is followed.
  await run('kubectl scale deployment web --replicas=3');
  await until(counts('services'), '0 1 0 {"cpu":"3","pods":"3"}');
  await untilSpread('web', /3\/3/);

  // A suspension of the user's own stays when the queue lets the work through.
  await apply(SUSPENDED);
  await apply(deployment('quiet', 1));
  await until(
    binding('quiet-deployment', '.spec.clusters[*].replicas} {.spec.suspension'),
    '1 {"dispatching":true}',
  );
  await run('kubectl delete deployment web quiet');
  await until(counts('services'), '0 0 0 {}');
  assert.deepEqual(early.take(), [], 'nothing was placed before its turn');
  const plain = await run('kubectl get rb plain-deployment -o yaml --show-managed-fields');
  assert.doesNotMatch(plain, /perigee/, 'work in no queue is left alone');
  assert.doesNotMatch(world.said(), /panic|^F\d{4}/m);
};

suite("queues beside Karmada's own detector, scheduler and webhook", { skip }, () => {
  const servers: readonly ServerOf[] = hasApiServer ? ['Kubernetes', 'Perigee'] : ['Perigee'];
  for (const of of servers) {
    test(`work waits for its turn, on the API server of ${of}`, async () => {
      await using world = await openKarmadaWorld(kubectl.path, { of });
      try {
        await story(world);
      } catch (cause) {
        const bindings = await world.run('kubectl get queues,rb -o yaml');
        throw new Error(`${bindings}\n${world.said().slice(-5000)}`, { cause });
      }
    });
  }
});
