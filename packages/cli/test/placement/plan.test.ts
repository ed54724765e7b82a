import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import type { PlannedAction } from '@perigee/scheduling/plan/planned-work';
import type { DoableSuggestion } from '../../src/placement/suggest/read-suggestions.ts';
import { openStage, perigee, perigeeAs, type Stage } from '../command-line.ts';

let stage: Stage;
let file: string;
const stack = new AsyncDisposableStack();

const STATUS = {
  apiEnablements: [
    { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
  ],
  resourceSummary: { allocatable: { cpu: '10', memory: '100Gi', pods: '110' } },
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

const addCluster = async (name: string) => {
  const { client } = stage.server;
  await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
  const patch = { type: 'merge', body: { status: STATUS } } as const;
  await client.patch(MemberCluster, { name }, patch, { subresource: 'status' });
};

const written = (name: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '1' } } }] },
    },
  },
});

const fileWith = (name: string, object: object): string => {
  const path = join(stage.folder, name);
  writeFileSync(path, JSON.stringify(object));
  return path;
};

before(async () => {
  stage = stack.use(await openStage());
  const { client } = stage.server;
  const interpreter = createInterpreter(nativeKinds);
  const controllers = [
    detectorController({ client, clock, interpreter }),
    ...BINDING_KINDS.map((kind) => schedulerController(kind)),
  ];
  const logger = createLogger({ clock, level: 'error' });
  const manager = stack.use(new Manager({ client, clock, logger, controllers }));
  await manager.start();
  await addCluster('m1');
  await addCluster('m2');
  await client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name: 'all' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Aggregated',
        },
      },
    },
  });
  file = fileWith('web.json', written('web', 4));
});

after(() => stack.disposeAsync());

const ref = (name: string) => ({ namespace: 'default', name });

const placed = async (name: string): Promise<string> => {
  for (;;) {
    const binding = await getOrUndefined(stage.server.client, ResourceBinding, ref(name));
    const clusters = binding?.spec.clusters ?? [];
    if (clusters.length > 0) return clusters.map((one) => `${one.name}:${one.replicas}`).join(' ');
    await clock.sleep(20);
  }
};

/** The command as another user. */
const runAs = (user: string, args: readonly string[]) => perigeeAs(user, stage.kubeconfig, args);

/** Lets a user see everything, and change the Deployments of a namespace. */
const addDeployer = async (user: string, namespace: string) => {
  const { client } = stage.server;
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ apiGroup, kind: 'User', name: user }];
  await client.create(ClusterRole, {
    metadata: { name: user },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name: user },
    roleRef: { apiGroup, kind: 'ClusterRole', name: user },
    subjects,
  });
  await client.create(Role, {
    metadata: { namespace, name: user },
    rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch'] }],
  });
  await client.create(RoleBinding, {
    metadata: { namespace, name: user },
    roleRef: { apiGroup, kind: 'Role', name: user },
    subjects,
  });
};

/** The command as a user who may see the work and the policies of the namespace, and nothing else. */
const asTenant = async (args: readonly string[]) => {
  const { client } = stage.server;
  const read = ['get', 'list'];
  await client.create(Role, {
    metadata: { namespace: 'default', name: 'tenant' },
    rules: [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: read },
      { apiGroups: ['policy.karmada.io'], resources: ['propagationpolicies'], verbs: read },
      { apiGroups: ['work.karmada.io'], resources: ['resourcebindings'], verbs: read },
    ],
  });
  await client.create(RoleBinding, {
    metadata: { namespace: 'default', name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tenant' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'tenant' }],
  });
  return runAs('tenant', args);
};

describe('the suggestions of perigee explain', () => {
  const stuck = async () => {
    const { client } = stage.server;
    await client.create(PropagationPolicy, {
      metadata: { namespace: 'default', name: 'odd' },
      spec: {
        priority: 1,
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'odd' }],
        placement: { clusterAffinity: { clusterNames: ['m11'] } },
      },
    });
    await client.create(Deployment, { ...written('odd', 2), metadata: ref('odd') } as never);
    while (
      (await getOrUndefined(client, ResourceBinding, ref('odd-deployment')))?.status === undefined
    ) {
      await clock.sleep(20);
    }
  };

  it('make work run, and are told only to who may see the clusters', async () => {
    await stuck();
    const tenant = await asTenant(['explain', 'deployment/odd', '-o', 'json']);
    const told = JSON.parse(tenant.stdout);
    assert.deepEqual(told.suggestions, [], tenant.stderr);
    assert.doesNotMatch(tenant.stdout, /"m1"|m2/);
    const { stdout } = await stage.run(['explain', 'deployment/odd', '-o', 'json']);
    const [{ changes, to }] = JSON.parse(stdout).suggestions;
    assert.partialDeepStrictEqual(changes, [
      {
        reason: 'FixClusterName',
        allowed: true,
        command: `kubectl patch propagationpolicies.policy.karmada.io odd -n default --type=merge -p '{"spec":{"placement":{"clusterAffinity":{"clusterNames":["m1"]}}}}'`,
      },
    ]);
    const patch = { type: 'merge', body: changes[0].patch } as const;
    await stage.server.client.patch(PropagationPolicy, ref('odd'), patch);
    assert.equal(await placed('odd-deployment'), 'm1:2');
    assert.deepEqual(to, [{ name: 'm1', replicas: 2 }]);
  });
});

describe('the suggestions for somebody who may not do all of them', () => {
  it('begin with what they may do, and say of the others that they may not', async () => {
    const { client } = stage.server;
    const namespace = 'apart';
    await client.create(Namespace, { metadata: { name: namespace } });
    await addDeployer('deployer', namespace);
    const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };
    await client.create(PropagationPolicy, {
      metadata: { namespace, name: 'near' },
      spec: {
        resourceSelectors: [
          { ...kind, name: 'wdie' },
          { ...kind, labelSelector: { matchLabels: { team: 'a' } } },
        ],
      },
    });
    const metadata = { namespace, name: 'wide' };
    await client.create(Deployment, { ...written('wide', 2), metadata } as never);
    const reasons = async (run: (args: readonly string[]) => Promise<{ stdout: string }>) => {
      const { stdout } = await run(['explain', 'deployment/wide', '-n', namespace, '-o', 'json']);
      return (JSON.parse(stdout).suggestions as readonly DoableSuggestion[]).map(
        ({ changes: [first] }) => [first?.reason, first?.allowed],
      );
    };
    assert.deepEqual(await reasons((args) => stage.run(args)), [
      ['FixSelector', true],
      ['LabelWork', true],
      ['AddPolicy', true],
    ]);
    assert.deepEqual(await reasons((args) => runAs('deployer', args)), [
      ['LabelWork', true],
      ['FixSelector', false],
      ['AddPolicy', false],
    ]);
  });
});

describe('perigee plan and apply', () => {
  it('end with 1 for whatever is wrong, and say what to do', async () => {
    const bad = fileWith('bad.json', { ...written('bad', 1), spec: { replicas: -1 } });
    const inNew = fileWith('new.json', {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'new', name: 'settings' } },
      ],
    });
    const cases = [
      [['plan', '-f', inNew], /would only create, .* kubectl create namespace new/],
      [['plan'], /say what would happen: -f FILE, --lose, --drain or --scale/],
      [['plan', '--never'], /unknown option '--never'/],
      [['plan', '--lose', 'm9'], /there is no cluster m9; there are m1, m2/],
      [['plan', '-f', bad], /spec\.replicas/],
      [['plan', '--lose', 'm1', '--join'], /--join needs the files/],
      [
        ['plan', '--scale', 'serviceaccount/default=3'],
        /ServiceAccount default cannot be scaled: it has no spec\.replicas/,
      ],
    ] as const;
    const account = { metadata: { namespace: 'default', name: 'default' } };
    await stage.server.client.create(ServiceAccount, account).catch(() => {});
    await Promise.all(
      cases.map(async ([args, message]) => {
        const { code, stderr } = await stage.run(args);
        assert.equal(code, 1, args.join(' '));
        assert.match(stderr.replaceAll(/\s+/g, ' '), message);
      }),
    );
  });

  it('tell what an apply then does, and refuse another state', async () => {
    const { client } = stage.server;
    const plan = await stage.run(['plan', '-f', file, '-o', 'json']);
    assert.equal(plan.code, 2, plan.stderr);
    const { state, work } = JSON.parse(plan.stdout);
    assert.partialDeepStrictEqual(work, [
      {
        name: 'web',
        action: 'place',
        to: [{ name: 'm1', replicas: 4 }],
        reason: 'PlacementChanged',
      },
    ]);
    assert.equal(await getOrUndefined(client, Deployment, ref('web')), undefined);

    const label = (x: string | null) =>
      ({ type: 'merge', body: { metadata: { labels: { x } } } }) as const;
    await client.patch(MemberCluster, { name: 'm2' }, label('y'));
    const refused = await stage.run(['apply', '-f', file, '--if-state', state]);
    assert.equal(refused.code, 5);
    assert.match(refused.stderr.replaceAll(/\s+/g, ' '), /Changed since: Cluster m2\. Plan again/);
    assert.equal(await getOrUndefined(client, Deployment, ref('web')), undefined);

    await client.patch(MemberCluster, { name: 'm2' }, label(null));
    const done = await stage.run(['apply', '-f', file, '--if-state', state]);
    assert.equal(done.stdout, 'deployments.apps/web created\n', done.stderr);
    assert.equal(await placed('web-deployment'), 'm1:4');
    const again = await stage.run(['plan', '-f', file]);
    assert.equal(again.code, 0, again.stderr);
    const stale = await stage.run(['apply', '-f', file, '--if-state', state]);
    assert.match(stale.stderr.replaceAll(/\s+/g, ' '), /binding default\/web-deployment/);
  });

  it('tell what would become of running work', async () => {
    assert.equal(await placed('web-deployment'), 'm1:4');
    const cases = [
      [['--drain', 'm1'], 2, /deployment\/web +default +move +m1:4 +m2:4 +ClusterIsGoing/],
      [['--lose', 'm1'], 2, /deployment\/web +default +short +m1:4 .*no ClusterTaintPolicy/s],
      [['--scale', 'deployment/web=60'], 2, /short +m1:4 +m1:4 +Unschedulable/],
    ] as const;
    await Promise.all(
      cases.map(async ([args, code, text]) => {
        const result = await stage.run(['plan', ...args]);
        assert.equal(result.code, code, `${args.join(' ')}: ${result.stderr}${result.stdout}`);
        assert.match(result.stdout, text);
      }),
    );
  });

  it('name in their help all that WHAT can be', async () => {
    const actions: { readonly [action in PlannedAction]: 1 } = {
      place: 1,
      move: 1,
      scale: 1,
      update: 1,
      remove: 1,
      wait: 1,
      short: 1,
      stay: 1,
    };
    const { stdout } = await perigee(['plan', '--help']);
    const [, words = ''] = /WHAT is ([^;]+);/.exec(stdout) ?? [];
    assert.deepEqual(words.split(/,?\s+(?:or\s+)?/), Object.keys(actions));
  });

  it('tell who would use a new cluster', async () => {
    const everywhere = {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'PropagationPolicy',
      metadata: { name: 'all' },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
        placement: { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
      },
    };
    const member = (status: object) => ({
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'm3' },
      spec: { syncMode: 'Push' },
      status,
    });
    const policy = fileWith('everywhere.json', everywhere);
    const cluster = fileWith('m3.json', member({ resourceSummary: STATUS.resourceSummary }));
    const both = await stage.run(['plan', '--join', '-f', cluster, '-f', policy]);
    assert.match(both.stdout, /move +m1:4 +m1:4 m2:4 m3:4/);
    const unknown = await stage.run(['plan', '--join', '-f', fileWith('m4.json', member({}))]);
    assert.match(unknown.stdout.replaceAll(/\s+/g, ' '), /nothing is known of the room of m3/);
    const none = await stage.run(['plan', '--join', '-f', policy]);
    assert.deepEqual([none.code, none.stdout], [1, '']);
    assert.match(none.stderr, /--join is about clusters: the files describe none/);
  });
});
