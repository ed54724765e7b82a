import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import { taintEvictionController } from '@perigee/controllers/placement/failover/taint-eviction/taint-eviction-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Event } from '@perigee/kubernetes/core/event';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import { parse } from 'yaml';
import { openStage, perigee, type Stage } from '../command-line.ts';

let stage: Stage;
/** The kubeconfig of a server without history. */
let forgetful: string;
const stack = new AsyncDisposableStack();

const WEB = { namespace: 'default', name: 'web' };

const addCluster = async (name: string) => {
  const { client } = stage.server;
  await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
  const apis = [
    { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
  ];
  const status = {
    apiEnablements: apis,
    resourceSummary: { allocatable: { cpu: '10', pods: '110' } },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'ClusterReady',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  const patch = { type: 'merge', body: { status } } as const;
  await client.patch(MemberCluster, { name }, patch, { subresource: 'status' });
};

/** Waits until the work is in these clusters. */
const placed = async (wanted: string): Promise<void> => {
  const ref = { namespace: 'default', name: 'web-deployment' };
  const { client } = stage.server;
  for (let left = 200; ; left--) {
    const binding = await getOrUndefined(client, ResourceBinding, ref);
    const found = (binding?.spec.clusters ?? [])
      .map(({ name, replicas }) => `${name}:${replicas}`)
      .join(' ');
    if (found === wanted) return;
    assert.ok(left > 0, `it is in ${found || 'no cluster'}, not in ${wanted}`);
    await clock.sleep(50);
  }
};

/** A proxy that drops the history parameters, as kube-apiserver ignores them. */
const openForgetful = async (): Promise<string> => {
  const { clusters, users } = parse(readFileSync(stage.kubeconfig, 'utf8'));
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const tls = {
    ca: bytes(cluster['certificate-authority-data']),
    cert: bytes(user['client-certificate-data']),
    key: bytes(user['client-key-data']),
  };
  const proxy: Server = createServer((asked, answered) => {
    const url = new URL(asked.url ?? '', cluster.server);
    for (const name of [...url.searchParams.keys()]) {
      if (name.startsWith('perigee.io/')) url.searchParams.delete(name);
    }
    const { method, headers } = asked;
    const forwarded = request(url, { ...tls, method, headers }, (answer) => {
      answered.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(answered);
    });
    asked.pipe(forwarded);
  });
  stack.defer(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const path = join(stage.folder, 'forgetful');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'f',
    clusters: [{ name: 'f', cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: 'f', context: { cluster: 'f', user: 'f' } }],
    users: [{ name: 'f', user: {} }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
};

before(async () => {
  stage = stack.use(await openStage());
  const { client } = stage.server;
  for (const name of ['m1', 'm2']) await addCluster(name);
  const interpreter = createInterpreter(nativeKinds);
  const pacer = new EvictionPacer();
  const controllers = [
    detectorController({ client, clock, interpreter }),
    ...BINDING_KINDS.map((kind) => schedulerController(kind)),
    ...BINDING_KINDS.map((kind) => taintEvictionController(kind, { pacer })),
    ...BINDING_KINDS.map((kind) => gracefulEvictionController(kind)),
  ];
  const logger = createLogger({ clock, level: 'error' });
  const manager = stack.use(new Manager({ client, clock, logger, controllers }));
  await manager.start();
  await client.create(Deployment, {
    metadata: WEB,
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '1' } } }] },
      },
    },
  } as never);
  await client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Aggregated',
        },
      },
    },
  });
  await placed('m1:4');
  await client.patch(Deployment, WEB, { type: 'merge', body: { spec: { replicas: 5 } } });
  await placed('m1:5');
  const taints = [{ key: 'gone', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }];
  await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body: { spec: { taints } } });
  await placed('m2:5');
  const aggregatedStatus = [{ clusterName: 'm2', applied: true, health: 'Healthy' }];
  const well = { type: 'merge', body: { status: { aggregatedStatus } } } as const;
  const ref = { namespace: 'default', name: 'web-deployment' };
  await client.patch(ResourceBinding, ref, well, { subresource: 'status' });
  forgetful = await openForgetful();
});

after(() => stack.disposeAsync());

const history = (kubeconfig: string, ...args: readonly string[]) =>
  perigee(['history', ...args], { KUBECONFIG: kubeconfig });

interface Told {
  readonly from: string;
  readonly entries: readonly {
    readonly event: string;
    readonly cause: string;
    readonly after: string;
  }[];
}

const toldBy = async (kubeconfig: string): Promise<Told> =>
  JSON.parse((await history(kubeconfig, 'deployment/web', '-o', 'json')).stdout);

/** Events are written asynchronously. */
const untilTold = async (event: string): Promise<void> => {
  for (let left = 100; ; left--) {
    const { items } = await stage.server.client.list(Event, { namespace: 'default' });
    if (items.some(({ reason }) => reason === event)) return;
    assert.ok(left > 0, `there is no event ${event}`);
    await clock.sleep(50);
  }
};

describe('perigee history', () => {
  it('tells all placements from a server that remembers, with who caused them', async () => {
    const { stdout, code } = await history(stage.kubeconfig, 'deployment/web');
    assert.equal(code, 0);
    assert.match(stdout, /Placed +PlacementChanged .*nowhere → m1:4; a policy has it/);
    assert.match(stdout, /Scaled +ReplicasChanged .*m1:4 → m1:5; its number of replicas changed/);
    assert.match(stdout, /Evicting +TaintUntolerated +TaintManager .*it leaves m1/);
    assert.doesNotMatch(stdout, /keeps no past/);
  });

  it('tells the same of a server without a past, from the binding and from Events', async () => {
    await untilTold('EvictWorkloadFromClusterSucceed');
    const { stdout, code } = await history(forgetful, 'deployment/web');
    assert.equal(code, 0);
    assert.match(stdout, /Placed +PlacementChanged .*nowhere → m1:4; /);
    assert.match(stdout, /Scaled +ReplicasChanged .*m1:4 → m1:5; its number of replicas changed/);
    assert.match(
      stdout,
      /Evicting +EvictWorkloadFromClusterSucceed .*Evict from cluster m1 succeed/,
    );
    assert.match(stdout, /The server keeps no past: these are the last placements/);
    const [own, told] = [await toldBy(stage.kubeconfig), await toldBy(forgetful)];
    assert.deepEqual([own.from, told.from], ['server', 'binding']);
    const last = ({ entries }: Told): string | undefined =>
      entries.findLast(({ event }) => event !== 'Evicting')?.after;
    assert.equal(last(told), 'm2:5');
  });

  it('says of work that was never placed where to look', async () => {
    for (const kubeconfig of [stage.kubeconfig, forgetful]) {
      const { stderr, code } = await history(kubeconfig, 'deployment/other');
      assert.equal(code, 3);
      assert.match(stderr, /has never been placed; "perigee explain deployment\/other" tells why/);
    }
  });
});
