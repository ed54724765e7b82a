import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { controllerManagerBinary } from '../../../../test/clients/client-binaries.ts';
import { startControllerManager } from '../../../../test/clients/controller-manager.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { SCENARIOS, Stage } from './gc-scenarios.ts';

const { path: program, skip } = controllerManagerBinary();

const kubeconfigFor = (url: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server: url } }],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'anyone' } }],
    users: [{ name: 'anyone', user: {} }],
    'current-context': 'embedded',
  });

/** How long it may take the peer, and how long the result has to last. */
const LIMIT_MS = 30_000;
const LASTING_MS = 3_000;

suite('what the scenarios say of Kubernetes is so', { skip, concurrency: true }, () => {
  const stack = new AsyncDisposableStack();
  let server: EmbeddedServer;

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perigee-gc-'));
    stack.defer(() => rmSync(folder, { recursive: true }));
    server = stack.use(await startEmbeddedServer({ clock: realClock, clusterControllers: false }));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigFor(server.url));
    stack.use(await startControllerManager(program, kubeconfig));
  });
  after(() => stack.disposeAsync());

  for (const [index, { name, play, ...expected }] of SCENARIOS.entries()) {
    const { left, leftOnKubernetes = left, events = [] } = expected;
    test(name, async () => {
      const stage = new Stage(server.client, `gc${index}-`);
      await stage.open();
      await play(stage);
      const started = realClock.monotonic();
      const isThere = async () =>
        JSON.stringify([await stage.left(), await stage.events()]) ===
        JSON.stringify([leftOnKubernetes, events]);
      while (!(await isThere()) && realClock.monotonic() - started < LIMIT_MS) {
        await realClock.sleep(100);
      }
      await realClock.sleep(LASTING_MS);
      assert.deepEqual(await stage.left(), leftOnKubernetes);
      assert.deepEqual(await stage.events(), events);
    });
  }
});
