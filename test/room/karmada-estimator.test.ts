import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as passing } from 'node:timers/promises';
import type { NodeClaim } from '@perigee/api/kinds/placement/replica-requirements';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { listAll } from '@perigee/kube/client/list-all';
import { realClock } from '@perigee/kube/clock/real-clock';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { countRoom } from '@perigee/scheduling/clusters/room/count-room';
import { readNodeClaim } from '@perigee/scheduling/clusters/room/node-claim';
import { nodeRooms } from '@perigee/scheduling/clusters/room/node-room';
import { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { nodeFacts } from '@perigee/scheduling/clusters/status/node-facts';
import { podUsage } from '@perigee/scheduling/clusters/status/pod-usage';
import { podShapeOf } from '@perigee/scheduling/placement/scheduler/estimate/pod-shape';
import { readClusterRoom } from '@perigee/scheduling/placement/scheduler/read-room';
import { freePorts } from '../../tools/peers/free-ports.ts';
import { estimatorClient, type Requirements } from './estimator-client.ts';

const { PERIGEE_TEST_KARMADA_ESTIMATOR: estimator = '' } = process.env;
const skip =
  estimator === '' &&
  'there is no karmada-scheduler-estimator: set PERIGEE_TEST_KARMADA_ESTIMATOR to the path of one to run this';

const random = seededRandom(Number(process.env.PERIGEE_SEED ?? 7));
const below = (most: number): number => Math.floor(random() * most);
const oneOf = <T>(...items: readonly T[]): T => items[below(items.length)] as T;

const NODES = 40;
const TAINT = { key: 'for', value: 'gpu', effect: 'NoSchedule' } as const;

const aNode = (at: number) => {
  const gpus = oneOf(0, 0, 4);
  return {
    metadata: { name: `n${at}`, labels: { zone: oneOf('a', 'b'), size: String(below(4)) } },
    spec: {
      ...(random() < 0.2 ? { taints: [TAINT] } : {}),
      ...(random() < 0.1 ? { unschedulable: true } : {}),
    },
    status: {
      allocatable: {
        cpu: `${below(16_000)}m`,
        memory: `${below(64_000)}Mi`,
        pods: String(below(20)),
        ...(gpus === 0 ? {} : { 'nvidia.com/gpu': String(gpus) }),
      },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
};

const aPod = (at: number) => {
  const requests = () => ({ cpu: `${below(1500)}m`, memory: `${below(4000)}Mi` });
  return {
    metadata: { name: `p${at}`, namespace: 'default' },
    spec: {
      nodeName: `n${below(NODES)}`,
      containers: [{ name: 'c', image: 'i', resources: { requests: requests() } }],
      initContainers:
        random() < 0.3 ? [{ name: 'i', image: 'i', resources: { requests: requests() } }] : [],
    },
  };
};

const aClaim = (): NodeClaim | undefined =>
  oneOf<NodeClaim | undefined>(
    undefined,
    { nodeSelector: { zone: 'a' } },
    { nodeSelector: { zone: 'a', size: String(below(4)) } },
    { tolerations: [{ key: 'for', operator: 'Equal', value: oneOf('gpu', 'other') }] },
    { tolerations: [{ operator: 'Exists' }] },
    {
      hardNodeAffinity: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'size', operator: oneOf('Gt', 'Lt'), values: [String(below(4))] },
              { key: 'zone', operator: oneOf('In', 'NotIn'), values: ['b'] },
            ],
          },
          {
            matchExpressions: [
              { key: oneOf('zone', 'rack'), operator: oneOf('Exists', 'DoesNotExist') },
            ],
          },
        ].slice(below(2)) as never,
      },
    },
  );

const aRequest = (): Requirements => {
  const nodeClaim = aClaim();
  return {
    resourceRequest: {
      cpu: `${1 + below(3000)}m`,
      memory: `${below(8000)}Mi`,
      ...(random() < 0.2 ? { 'nvidia.com/gpu': String(1 + below(3)) } : {}),
    },
    ...(nodeClaim === undefined ? {} : { nodeClaim }),
  };
};

test('room is what karmada-scheduler-estimator counts on the same nodes', { skip }, async (t) => {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'perigee-estimator-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const server = stack.use(await startEmbeddedServer({ clock: realClock }));
  const { client, url } = server;
  for (let at = 0; at < NODES; at += 1) {
    const { status, ...node } = aNode(at);
    await client.create(Node, node as never);
    const patch = { type: 'merge', body: { status } } as const;
    await client.patch(Node, node.metadata, patch, { subresource: 'status' });
    // A new node counts as not ready, until somebody looks after it.
    const { taints = null } = node.spec;
    await client.patch(Node, node.metadata, { type: 'merge', body: { spec: { taints } } });
  }
  for (let at = 0; at < 120; at += 1) await client.create(Pod, aPod(at) as never);

  const usage = new ClusterUsage();
  for (const node of (await listAll(client, Node)).items) {
    usage.setNode(node.metadata.name, nodeFacts(node as never));
  }
  for (const pod of (await listAll(client, Pod)).items) {
    usage.setPod(pod.metadata.name, podUsage(pod as never));
  }
  const spec = { countedAt: '2026-01-01T00:00:00Z', ...countRoom(nodeRooms(usage)) };
  const { space } = readClusterRoom({ spec } as never);

  const kubeconfig = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const [port = 0] = await freePorts(1);
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    '--cluster-name=member',
    `--server-port=${port}`,
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
  ];
  const child = spawn(estimator, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  stack.defer(async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  });

  const connected = async () => {
    for (;;) {
      const connection = estimatorClient(port, 'member');
      try {
        await connection.replicas({ resourceRequest: {} });
        return stack.use(connection);
      } catch (error) {
        connection[Symbol.dispose]();
        if (child.exitCode !== null) throw new Error(`it ended: ${said}`, { cause: error });
        await passing(200);
      }
    }
  };
  const peer = await connected();
  let positive = 0;
  for (let at = 0; at < 300; at += 1) {
    const request = aRequest();
    const shape = podShapeOf(request.resourceRequest);
    const ours = space?.free.podsFor({ shape, claim: readNodeClaim(request.nodeClaim) });
    const theirs = await peer.replicas(request);
    assert.equal(ours, theirs, JSON.stringify(request));
    if (theirs > 0) positive += 1;
  }
  t.diagnostic(`300 answers agree, ${positive} of them above zero`);
  assert.ok(positive > 150);
});
