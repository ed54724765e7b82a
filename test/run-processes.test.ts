import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { openFolder, startUp } from './placement/perigee-process.ts';

/** A pod that wants to read a file of this machine. */
const spy = (namespace: string, file: string) => {
  const main = { name: 'main', image: 'none', command: ['cat', file] };
  return {
    metadata: { name: 'spy', namespace, annotations: { 'member.perigee.io/runtime': 'process' } },
    spec: { restartPolicy: 'Never', containers: [main] },
  };
};

const waitingReason = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting?.reason;

test('perigee up --run-processes says whom it gives this machine to, and keeps its keys from them', async () => {
  using folder = openFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  const few = ['--port', '0', '--members', '1', '--nodes', '1'];
  const processFlags = ['--run-processes', '--process-namespaces', 'team-a'];
  await using up = await startUp(folder.path, ...few, ...processFlags);
  assert.match(
    up.said(),
    /pods of the namespace team-a may run commands on this machine: .* in the control plane or in a member\n/,
  );
  assert.match(up.said(), /isolation of these processes: /);

  const config = await loadClusterConfig({ env: {}, clock, kubeconfig, context: 'member1' });
  await using client = createHttpClient(config, { clock });
  for (const name of ['team-a', 'team-b']) {
    await client.create(Namespace, { metadata: { name } });
    await client.create(Pod, spy(name, kubeconfig));
  }
  const untilPod = async (namespace: string, check: (pod: Pod) => boolean): Promise<Pod> => {
    for await (const { type, object } of client.watch(Pod, {
      namespace,
      sendInitialEvents: true,
    })) {
      if (type !== 'BOOKMARK' && check(object as Pod)) return object as Pod;
    }
    throw new Error('the watch ended before');
  };
  const other = await untilPod('team-b', (pod) => waitingReason(pod) !== undefined);
  assert.equal(waitingReason(other), 'ProcessesNotAllowed');
  const endedPod = await untilPod('team-a', ({ status }) =>
    /^(Failed|Succeeded)$/.test(status?.phase ?? ''),
  );
  const isKept = !up.said().includes('isolation of these processes: none');
  assert.equal(endedPod.status?.phase, isKept ? 'Failed' : 'Succeeded');
});
