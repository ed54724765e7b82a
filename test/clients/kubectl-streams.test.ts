import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { kubectlBinary } from './client-binaries.ts';
import { type EmbeddedCluster, openEmbeddedCluster } from './embedded-cluster.ts';

const { path: kubectl, skip } = kubectlBinary();

suite('kubectl keeps up with what happens', { skip }, () => {
  let cluster: EmbeddedCluster;

  before(async () => {
    cluster = await openEmbeddedCluster({ kubectl });
  });
  after(() => cluster[Symbol.asyncDispose]());

  const run = (command: string): Promise<string> => cluster.run(command);

  /** A kubectl that goes on until it is disposed, and its lines as they come. */
  const follow = (...args: string[]) => {
    const child = spawn(cluster.shell.kubectl, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return {
      next: async (): Promise<string> => (await lines.next()).value as string,
      [Symbol.dispose]: () => {
        child.kill();
      },
    };
  };

  test('get -w shows what is there, and then each change as a row', async () => {
    await run('kubectl create configmap first');
    using watching = follow('get', 'configmaps', '-w', '--output-watch-events');
    assert.match(await watching.next(), /^EVENT +NAME +DATA +AGE$/);
    assert.match(await watching.next(), /^ADDED +first +0 /);
    await run('kubectl create configmap second --from-literal=a=b');
    assert.match(await watching.next(), /^ADDED +second +1 /);
    await run('kubectl label configmap second x=y');
    assert.match(await watching.next(), /^MODIFIED +second +1 /);
    await run('kubectl delete configmap second');
    assert.match(await watching.next(), /^DELETED +second +1 /);
  });

  test('get --watch-only leaves out what is there', async () => {
    await run('kubectl create secret generic known');
    using watching = follow('get', 'secrets', '--watch-only', '-o', 'name');
    let first: string | undefined;
    const firstLine = watching.next().then((line) => {
      first = line;
    });
    // Nobody can tell when its watch has begun: something new comes until it says so.
    for (let count = 0; first === undefined && count < 100; count += 1) {
      await run(`kubectl create secret generic new-${count}`);
    }
    await firstLine;
    assert.match(first ?? '', /^secret\/new-/);
  });

  test('get -w by label drops an object that no longer has it', async () => {
    await run('kubectl create deployment labelled --image=x');
    using watching = follow('get', 'deploy', '-l', 'app=labelled', '-w', '--output-watch-events');
    await watching.next();
    assert.match(await watching.next(), /^ADDED +labelled /);
    await run('kubectl label deploy labelled app-');
    assert.match(await watching.next(), /^DELETED +labelled /);
  });

  test('get -w -o json shows whole objects', async () => {
    using watching = follow('get', 'namespaces', 'default', '-w', '-o', "jsonpath={.kind}{'\\n'}");
    assert.equal(await watching.next(), 'Namespace');
  });

  test('events --watch shows an event as it comes', async () => {
    using watching = follow('events', '--watch');
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'seen' },
      involvedObject: { kind: 'ConfigMap', name: 'first', namespace: 'default' },
      reason: 'Seen',
      message: 'It was seen.',
      type: 'Normal',
    };
    await run(`echo '${JSON.stringify(event)}' | kubectl create -f -`);
    assert.match(await watching.next(), /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/);
    assert.match(await watching.next(), / Normal +Seen +ConfigMap\/first +It was seen\.$/);
  });

  test('proxy hands requests on', async () => {
    using proxy = follow('proxy', '--port=0');
    const [address] = /127\.0\.0\.1:\d+/.exec(await proxy.next()) ?? [];
    const answer = await fetch(`http://${address}/api/v1/namespaces/default/configmaps/first`);
    assert.equal(((await answer.json()) as { kind: string }).kind, 'ConfigMap');
  });
});
