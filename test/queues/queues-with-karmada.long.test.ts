import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import {
  noKarmadaScheduler,
  startKarmadaScheduler,
} from '../placement/karmada-scheduler-process.ts';
import { openPlacementWorld } from '../placement/placement-world.ts';

const kubectl = kubectlBinary();
const skip = kubectl.skip || noKarmadaScheduler;

const QUEUE = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: science }
spec: { capability: { cpu: 2 } }`;

const POLICY = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: jobs }
spec:
  resourceSelectors: [{ apiVersion: batch/v1, kind: Job }]
  placement:
    replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated }`;

const job = (name: string, runFor: string) => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, labels: { volcano.sh/queue-name: science } }
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: { annotations: { member.perigee.io/run-for: ${runFor} } }
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: app, resources: { requests: { cpu: "1" } } }]`;

const status = `kubectl get queue science -o 'jsonpath={.status.pending} {.status.running} {.status.completed} {.status.allocated}'`;

test("Karmada's own scheduler places what queues let through, and nothing before", {
  skip,
}, async () => {
  const controllers = '*,-scheduler,-cluster-scheduler';
  await using world = await openPlacementWorld(kubectl.path, { controllers });
  const { run, until, apply } = world;
  await using karmada = startKarmadaScheduler(world.perigee.kubeconfig);
  await apply(QUEUE);
  await apply(POLICY);
  await apply(job('first', '1h'));
  await until(status, '0 1 0 {"cpu":"2","pods":"2"}');
  await apply(job('second', '2s'));
  const reason = '{.status.conditions[?(@.type=="Admitted")].reason}';
  await until(`kubectl get rb second-job -o 'jsonpath=${reason}'`, 'WaitingForQuota');
  assert.equal(await run('kubectl get rb second-job -o jsonpath={.spec.clusters}'), '');
  await run('kubectl delete job first');
  await until(`kubectl get job second -o 'jsonpath={.status.succeeded}'`, '2');
  await until(status, '0 0 1 {}');
  assert.doesNotMatch(karmada.said(), /panic|fatal/i);
});
