import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { openFolder, spawnUp, startUp } from '../placement/perigee-process.ts';
import { openPlacementWorld, wordsOf } from '../placement/placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const queue = (name: string, spec: string, annotations = '{}') => `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: ${name}, annotations: ${annotations} }
spec: ${spec}`;

const job = (name: string, of: string, { pods = 2, runFor = '2s', labels = '' } = {}) => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, labels: { volcano.sh/queue-name: ${of}${labels} } }
spec:
  parallelism: ${pods}
  completions: ${pods}
  template:
    metadata: { annotations: { member.perigee.io/run-for: ${runFor} } }
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: app, resources: { requests: { cpu: "1" } } }]`;

const POLICY = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: jobs }
spec:
  resourceSelectors: [{ apiVersion: batch/v1, kind: Job }]
  placement:
    replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated }`;

const SOURCE = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSource
metadata: { name: sales }
spec:
  system: hive
  type: table
  name: db.sales
  locality: { clusterNames: [member2] }`;

const CLAIM = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSourceClaim
metadata: { name: sales }
spec:
  system: hive
  dataSourceType: table
  dataSourceName: db.sales
  workloadSelector: { matchLabels: { needs: sales } }`;

const binding = (name: string, path: string) =>
  `kubectl get resourcebinding ${name}-job -o 'jsonpath=${path}'`;
const admitted = (name: string) =>
  binding(name, '{.spec.suspension.scheduling} {.status.conditions[?(@.type=="Admitted")].reason}');
const places = (name: string) => binding(name, '{.spec.clusters[*].name}');
const succeeded = (name: string) => `kubectl get job ${name} -o 'jsonpath={.status.succeeded}'`;
const status = (name: string) =>
  `kubectl get queue ${name} -o 'jsonpath={.status.state} {.status.pending} {.status.running} {.status.completed} {.status.allocated}'`;

test('work goes from its data to its queue to its clusters, as kubectl shows', {
  skip,
}, async (context) => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, apply } = world;

  await context.test(
    'it waits for data, then for the queue, and then runs at the data',
    async () => {
      await apply(queue('science', '{ capability: { cpu: 2 } }'));
      await apply(POLICY);
      await apply(CLAIM);
      await apply(job('first', 'science', { runFor: '1h' }));
      await until(status('science'), 'Open 0 1 0 {"cpu":"2","pods":"2"}');
      await apply(job('second', 'science', { labels: ', needs: sales' }));
      await until(admitted('second'), 'true WaitingForData');
      assert.equal(await run(places('second')), '');
      await apply(SOURCE);
      await until(admitted('second'), 'true WaitingForQuota');
      await run('kubectl delete job first');
      await until(admitted('second'), /^Admitted/);
      await until(places('second'), 'member2');
      await until(succeeded('second'), '2');
      await until(status('science'), 'Open 0 0 1 {}');
    },
  );

  await context.test('a tenant gets into no queue that is not for its namespace', async () => {
    await apply(
      queue('ours', '{ capability: { cpu: 4 } }', '{ queue.perigee.io/namespaces: team=ours }'),
    );
    await run('kubectl create namespace theirs');
    await run('kubectl -n theirs create rolebinding m --clusterrole=perigee-user --user=mallory');
    const mallory = (command: string) => `kubectl --as=mallory -n theirs ${command}`;
    const post = (yaml: string) => `${mallory('apply -f -')} <<'END'\n${yaml}\nEND`;
    await run(post(POLICY));
    await run(post(job('greedy', 'ours')));
    const reason = mallory(
      `get resourcebinding greedy-job -o 'jsonpath={.status.conditions[?(@.type=="Admitted")].message}'`,
    );
    await until(reason, 'its namespace may not use the queue ours');
    const refused = async (command: string) => {
      const { code, stderr } = await world.shell.run(mallory(command));
      assert.notEqual(code, 0, command);
      assert.match(stderr, /forbidden/i);
    };
    const release =
      '{"spec":{"suspension":null},"metadata":{"annotations":{"policy.perigee.io/reserved":"{}"}}}';
    await refused(`patch resourcebinding greedy-job --type=merge -p '${release}'`);
    await refused(`annotate queue ours queue.perigee.io/namespaces-`);
    await refused(`label namespace theirs team=ours`);
    // The marks of a binding are not taken from the workload.
    await run(mallory(`annotate job greedy 'policy.perigee.io/reserved={}'`));
    await until(status('ours'), 'Open 1 0 0 {}');
    await run('kubectl label namespace theirs team=ours');
    await until(status('ours'), 'Open 0 0 1 {}');
  });

  await context.test('queues reach the members', async () => {
    await run('kubectl apply -f examples/queues-in-members.yaml');
    await until(
      `kubectl --context=member3 get queue science -o 'jsonpath={.spec.capability.cpu}'`,
      '2',
    );
    await until(status('science'), 'Open 0 0 1 {}');
  });
});

test('kill -9 in the middle of queueing loses nothing and counts nothing twice', {
  skip,
}, async () => {
  using folder = openFolder();
  await using first = await startUp(folder.path, '--port', '0');
  const connection = [`--kubeconfig=${folder.path}/kubeconfig`];
  const cwd = new URL('../../', import.meta.url).pathname;
  using shell = openKubectlShell({ kubectl, connection, namespace: 'default', cwd });
  const { until, apply } = wordsOf(shell);
  const names = ['a', 'b', 'c', 'd', 'e'];
  await apply(queue('science', '{ capability: { cpu: 2 } }'));
  await apply(POLICY);
  await apply(names.map((name) => job(name, 'science', { runFor: '2s' })).join('\n---'));
  // Somewhere between the first release and the last.
  await first.kill();

  await using second = await startUp(folder.path, '--port', '0');
  await until(status('science'), /^Open \d+ (1 [0-4] \{"cpu":"2","pods":"2"\}|0 5 \{\})$/);
  await second.kill();

  await using _ = spawnUp(folder.path, '--port', '0');
  for (const name of names) await until(succeeded(name), '2');
  await until(status('science'), 'Open 0 0 5 {}');
});
