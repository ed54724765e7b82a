import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { type KubectlShell, openKubectlShell } from '../clients/kubectl-shell.ts';
import { openFolder, type PerigeeProcess, startUp } from '../placement/perigee-process.ts';
import { type Shell, wordsOf } from '../placement/placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();
const cwd = new URL('../../', import.meta.url).pathname;
const SCHEDULERS = 'schedulers.globalscheduler.com';
const phases = `kubectl get ${SCHEDULERS} -o 'jsonpath={range .items[*]}{.metadata.name}={.status.phase} {end}'`;
const shares = `kubectl get ${SCHEDULERS} -o 'jsonpath={range .items[*]}{.status.clusters.inUse[*]};{end}'`;
const inCharge = 'kubectl get rb -o jsonpath={.items[*].spec.schedulerName}';

const processes = 'ps -eo args | grep -c "[s]cheduler --name .*PLACE" || true';

suite('Schedulers of perigee up', { skip }, () => {
  const folder = openFolder();
  const data = join(folder.path, 'data');
  const running = processes.replace('PLACE', data);
  let up: PerigeeProcess;
  let shell: KubectlShell;
  let words: Shell;

  before(async () => {
    up = await startUp(data, '--port', '0');
    const connection = [`--kubeconfig=${data}/kubeconfig`];
    shell = openKubectlShell({ kubectl, connection, namespace: 'default', cwd });
    words = wordsOf(shell);
  });
  after(async () => {
    shell[Symbol.dispose]();
    await up[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('get a process each, and share the clusters and the work', async () => {
    const { run, until, untilSpread } = words;
    await run('kubectl apply -f examples/schedulers.yaml');
    await until(phases, 'scheduler1=Active scheduler2=Active');
    assert.equal(await run(running), '2');
    await until(shares, /^member\d;member\d member\d;$|^member\d member\d;member\d;$/);
    await run('kubectl create deployment web --image=nginx --replicas=6');
    await run('kubectl apply -f examples/web-policy.yaml');
    await untilSpread('web', '2/2 2/2 2/2');
    assert.match(await run(inCharge), /^scheduler[12]$/);
  });

  test('are started again when they crash', async () => {
    const { run, until } = words;
    const pid = `ps -eo pid,args | awk '/[s]cheduler --name scheduler1 .*${data.replaceAll('/', '\\/')}/ {print $1}'`;
    const before = await run(pid);
    await run(`kill -9 ${before}`);
    await until(pid, /^\d+$/);
    assert.notEqual(await run(pid), before);
    await until(phases, 'scheduler1=Active scheduler2=Active');
  });

  test('drain when they are deleted, and then go', async () => {
    const { run, until, untilSpread } = words;
    await run(`kubectl delete ${SCHEDULERS} scheduler1 --timeout=60s`);
    assert.equal(await run(running), '1');
    await until(shares, /^member\d member\d member\d;$/);
    await until(inCharge, 'scheduler2');
    await run('kubectl scale deployment web --replicas=9');
    await untilSpread('web', '3/3 3/3 3/3');
    await run(`kubectl delete ${SCHEDULERS} scheduler2 --timeout=60s`);
    assert.equal(await run(running), '0');
    await until(inCharge, 'default-scheduler');
    await run('kubectl scale deployment web --replicas=3');
    await untilSpread('web', '1/1 1/1 1/1');
  });

  test('do not outlive it, however it ends', async () => {
    const { run, until } = words;
    await run('kubectl apply -f examples/schedulers.yaml');
    await until(phases, 'scheduler1=Active scheduler2=Active');
    await up.kill();
    await until(running, '0');
    up = await startUp(data, '--port', '0');
    await until(phases, 'scheduler1=Active scheduler2=Active');
    await up[Symbol.asyncDispose]();
    assert.equal(await run(running), '0');
  });
});
