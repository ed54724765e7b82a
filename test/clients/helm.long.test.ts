import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { helmBinary, kubectlBinary } from './client-binaries.ts';
import { type EmbeddedCluster, openEmbeddedCluster } from './embedded-cluster.ts';
import { simulateControllers } from './simulated-controllers.ts';
import { simulateNode } from './simulated-node.ts';

const helm = helmBinary();
const kubectl = kubectlBinary();
const skip = helm.skip || kubectl.skip;
const clients = new URL('./', import.meta.url).pathname;

suite('helm works on the embedded server', { skip }, () => {
  const end = new AbortController();
  let cluster: EmbeddedCluster;
  let world: Promise<unknown>;

  before(async () => {
    cluster = await openEmbeddedCluster({
      kubectl: kubectl.path,
      namespace: 'shops',
      cwd: clients,
    });
    const { client } = cluster.server;
    world = Promise.all([
      simulateControllers(client, end.signal),
      simulateNode(client, end.signal),
    ]);
  });
  after(async () => {
    end.abort();
    await world;
    await cluster[Symbol.asyncDispose]();
  });

  const run = (command: string): Promise<string> => cluster.run(command);
  const helmCommand = (args: string): string =>
    `'${helm.path}' --kubeconfig='${cluster.kubeconfig}' --namespace=shops ${args}`;
  const runHelm = (args: string): Promise<string> => run(helmCommand(args));
  const color = () => run("kubectl get configmap corner-config -o jsonpath='{.data.color}'");

  test('it installs a chart with definitions and hooks, and waits for it', async () => {
    const said = await runHelm('install corner chart --create-namespace --wait --timeout=30s');
    assert.match(said, /\nSTATUS: deployed\n/);
    assert.match(said, /The shop corner sells blue things\./);
    assert.equal(
      await run('kubectl get deploy,service,basket,job -o name'),
      [
        'deployment.apps/corner',
        'service/corner',
        'basket.clients.example.com/corner-basket',
        'job.batch/corner-prepare\n',
      ].join('\n'),
    );
    assert.equal(await color(), 'blue');
  });

  test('it knows what it installed', async () => {
    assert.match(await runHelm('list'), /\ncorner\s+shops\s+1\s.*\sdeployed\s+shop-0\.1\.0\s+1\.0/);
    assert.match(await runHelm('status corner'), /\nSTATUS: deployed\nREVISION: 1\n/);
    assert.match(await runHelm('get manifest corner'), /kind: Basket\n/);
    assert.match(await runHelm('get hooks corner'), /helm\.sh\/hook: pre-install,pre-upgrade/);
    assert.match(await runHelm('get values corner --all'), /color: blue\n/);
  });

  test('it renders the chart against what the server has', async () => {
    const rendered = await runHelm('template other chart --validate 2>/dev/null');
    assert.match(rendered, /name: other-basket\n/);
  });

  test('it upgrades, rolls back, and remembers both', async () => {
    const said = await runHelm(
      'upgrade corner chart --set color=red,replicas=3 --wait --timeout=30s',
    );
    assert.match(said, /\nREVISION: 2\n/);
    assert.equal(await color(), 'red');
    assert.equal(await run("kubectl get deploy corner -o jsonpath='{.status.readyReplicas}'"), '3');
    assert.equal(await run("kubectl get basket corner-basket -o jsonpath='{.spec.size}'"), '3');
    assert.match(
      await runHelm('rollback corner 1 --wait --timeout=30s'),
      /^Rollback was a success/,
    );
    assert.equal(await color(), 'blue');
    assert.match(
      await runHelm('history corner'),
      /\n1 .*superseded.*Install complete.*\n2 .*superseded.*Upgrade complete.*\n3 .*deployed.*Rollback to 1/,
    );
  });

  test('an upgrade that the server refuses changes nothing', async () => {
    const { code, stderr } = await cluster.shell.run(
      helmCommand('upgrade corner chart --set replicas=0'),
    );
    assert.notEqual(code, 0);
    assert.match(stderr, /spec\.size.*should be greater than or equal to 1/);
    assert.equal(await run("kubectl get basket corner-basket -o jsonpath='{.spec.size}'"), '2');
  });

  test('it runs the tests of the chart', async () => {
    assert.match(await runHelm('test corner --timeout=30s'), /\nPhase:\s+Succeeded\n/);
  });

  test('it takes everything away again', async () => {
    assert.match(
      await runHelm('uninstall corner --wait --timeout=30s'),
      /^release "corner" uninstalled/,
    );
    assert.equal(await run('kubectl get deploy,service,basket,secret -o name'), '');
    assert.equal(await runHelm('list --short'), '');
  });
});
