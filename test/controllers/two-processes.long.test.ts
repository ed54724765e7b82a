import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { openFolder, startPerigeeProcess, startUp } from '../placement/perigee-process.ts';
import { wordsOf } from '../placement/placement-world.ts';
import { placementStory } from './placement-story.ts';
import { deploy, kubeconfigOf } from './service-account.ts';

const { path: kubectl, skip } = kubectlBinary();
const cwd = new URL('../../', import.meta.url).pathname;

suite('a control plane without controllers', { skip }, () => {
  test('does what it should with controllers of another process', async () => {
    using folder = openFolder();
    const data = join(folder.path, 'data');
    const kubeconfig = join(data, 'kubeconfig');
    await using _up = await startUp(data, '--port', '0', '--controllers=');
    using shell = openKubectlShell({
      kubectl,
      connection: [`--kubeconfig=${kubeconfig}`],
      namespace: 'default',
      cwd,
    });
    const words = wordsOf(shell);
    await words.run('kubectl create deployment early --image=nginx');
    assert.equal(await words.run('kubectl get rb,works -A -o name'), '');

    const args = ['controllers', '--listen', '0'];
    await assert.rejects(
      startPerigeeProcess(
        [...args, '--kubeconfig', kubeconfig, '--context', 'member1'],
        'are at work',
      ),
      /does not know clusters.globalscheduler.com and \d+ more kinds: start with --install-crds/,
    );
    await deploy(words);
    const own = await kubeconfigOf(words, kubeconfig, folder.path, 'perigee-controllers');
    await using controllers = await startPerigeeProcess(
      [...args, '--kubeconfig', own],
      'are at work',
    );
    await placementStory(words);
    assert.doesNotMatch(controllers.said(), /forbidden/i);
    const [probes] = /http:[/0-9.:]+(?=\/readyz)/.exec(controllers.said()) ?? [];
    for (const path of ['healthz', 'readyz', 'metrics']) {
      assert.equal((await fetch(`${probes}/${path}`)).status, 200);
    }
  });
});
