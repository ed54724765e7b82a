import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindingTroubles } from '@perigee/scheduling/explain/binding-troubles';
import { explainWork } from '@perigee/scheduling/explain/explain-work';
import type { WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { CLUSTER, condition, READY, RESOURCE, snapshotOf, withBinding } from './work-snapshot.ts';

const troubles = (snapshot: WorkSnapshot) => {
  const { state, summary, findings } = explainWork(snapshot);
  const reasons = findings
    .filter(({ severity }) => severity !== 'info')
    .map(({ reason }) => reason);
  return { state, summary, reasons };
};

test('names the quota of a member, in the words of the member', () => {
  const said = 'pods "web-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4';
  const object = {
    status: { conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', said)] },
  };
  assert.deepEqual(troubles(snapshotOf({ value: { object, pods: [], warnings: [] } })), {
    state: 'held',
    summary: `m1 does not create its pods: ${said}`,
    reasons: ['QuotaExceeded'],
  });
});

test('names what a gang waits for rather than that its pods have no nodes', () => {
  const pod = {
    metadata: { name: 'web-1' },
    status: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable')] },
  };
  const gang = condition('Gang', 'False', 'GangsWait', '2 pods wait in m1: cpu 4 missing');
  const member = { value: { object: {}, pods: [pod], warnings: [] } };
  const { summary, reasons } = troubles(snapshotOf(member, {}, [gang]));
  assert.deepEqual([summary, reasons], ['2 pods wait in m1: cpu 4 missing', ['GangsWait']]);
});

test('tells by the binding what it cannot see in the member, and why it cannot', () => {
  const { summary, reasons } = troubles(snapshotOf({ hidden: 'you may not read pods in m1' }));
  assert.equal(
    summary,
    '0 of 2 replicas are ready in m1; its pods cannot be looked at from here: you may not read pods in m1',
  );
  assert.deepEqual(reasons, ['ReplicasNotReady']);
});

test('says what it may not read, and tells the rest', () => {
  const hidden = { hidden: 'you may not read policies' };
  const snapshot = snapshotOf({ hidden: '' }, { policies: hidden, binding: { value: undefined } });
  const { summary, reasons } = troubles(snapshot);
  assert.match(summary, /^it has no binding, so that no policy has it/);
  assert.deepEqual(reasons, ['NoPolicy']);
  const told = explainWork(snapshot).findings.find(({ reason }) => reason === 'NotReadable');
  assert.match(told?.message ?? '', /^nothing is said of the policies: you may not/);
});

const HIDDEN = { hidden: 'you may not read it' };

test('who may not see clusters hears what the binding says, and nothing that rests on clusters', () => {
  const refused = condition('Scheduled', 'False', 'NoClusterFit', '0/3 clusters are available.');
  const { binding } = snapshotOf({ pods: [], warnings: [] } as never) as never as {
    readonly binding: { readonly value: { readonly spec: object } };
  };
  const placement = { clusterAffinity: { clusterNames: ['m1'] } };
  const spec = { ...binding.value.spec, placement, clusters: [] };
  const status = { schedulerObservedGeneration: 1, conditions: [refused] };
  const told = explainWork(
    snapshotOf(HIDDEN, {
      clusters: HIDDEN,
      binding: { value: { ...binding.value, spec, status } as never },
      world: { clusters: [], rules: standardRules },
    }),
  );
  assert.equal(told.summary, '0/3 clusters are available: its policy asks for clusters named m1');
  const refusal = told.findings.find(({ reason }) => reason === 'NoClusterFit');
  assert.equal(refusal?.by, 'policy');
  assert.equal(told.ifDecidedNow, undefined);
  assert.ok(!told.findings.some(({ reason }) => reason === 'UnknownCluster'));
});

test('of work that nobody showed, it is not said that it does not run', () => {
  const parts = { template: HIDDEN, binding: HIDDEN, policies: HIDDEN, clusters: HIDDEN };
  const { summary } = explainWork(snapshotOf(HIDDEN, parts));
  assert.equal(summary, 'its binding cannot be read, so that it is not known whether it runs');
});

test('a name that is like another one is told with it', () => {
  const parts = { template: { value: undefined }, binding: { value: undefined }, similar: ['wab'] };
  const { summary } = explainWork(snapshotOf(HIDDEN, parts));
  assert.equal(summary, 'there is no Deployment web in the namespace a: did you mean wab?');
});

/** The Work of `snapshotOf` with a spec that override policies wrote, and the status that its cluster reports. */
const explainOverridden = (spec: object, status: object) => {
  const manifest = { ...RESOURCE, metadata: { name: 'web' }, spec };
  const work = {
    metadata: {
      namespace: 'karmada-es-m1',
      name: 'web-1',
      annotations: { 'policy.karmada.io/applied-overrides': '[]' },
    },
    spec: { workload: { manifests: [manifest] } },
  };
  return explainWork(
    withBinding({}, [{ clusterName: 'm1', ...status }], { works: { value: [work] as never } }),
  );
};

test('counts the replicas that an override writes into a Work, rather than those of the binding', () => {
  const item = { applied: true, health: 'Healthy', status: { replicas: 1, readyReplicas: 1 } };
  const ready = explainOverridden({ replicas: 1 }, item);
  assert.deepEqual([ready.state, ready.summary], ['running', '1 of 1 replica ready on m1 (1)']);
  const unreadyItem = { applied: true, health: 'Unhealthy', status: { replicas: 1 } };
  const unready = explainOverridden({ replicas: 1 }, unreadyItem);
  assert.equal(unready.summary, '0 of 1 replicas are ready in m1');
});

test('explains work in which an override writes a quantity that is none', () => {
  const containers = [{ name: 'main', resources: { requests: { cpu: 'lots' } } }];
  const spec = { replicas: 2, template: { spec: { containers } } };
  const appliedMessage = 'quantities must match the regular expression';
  const { summary } = explainOverridden(spec, { applied: false, appliedMessage });
  assert.equal(summary, `m1 did not take it: ${appliedMessage}`);
});

test('names a cluster in the weights of a policy that does not exist', () => {
  const weights = [{ targetCluster: { clusterNames: ['m2'] }, weight: 2 }];
  const replicaScheduling = {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { staticWeightList: weights },
  };
  const snapshot = snapshotOf({ value: { object: {}, pods: [], warnings: [] } });
  const { value } = snapshot.binding as { readonly value: { readonly spec: object } };
  const binding = { ...value, spec: { ...value.spec, placement: { replicaScheduling } } };
  const { findings } = explainWork({ ...snapshot, binding: { value: binding } } as never);
  const weight = findings.find(({ reason }) => reason === 'UnknownWeight');
  assert.match(weight?.message ?? '', /no cluster is named `m2`/);
});

test('does not take divided work for degraded when another cluster that its policy names is left out', () => {
  const placement = {
    clusterAffinity: { clusterNames: ['m1', 'm2'] },
    replicaScheduling: { replicaSchedulingType: 'Divided' },
  };
  const item = { ...READY, status: { replicas: 2, readyReplicas: 2 } };
  const facts = (name: string, taints: readonly object[]) => ({
    name,
    labels: {},
    provider: '',
    region: '',
    zones: [],
    taints,
    apis: new Set(['apps/v1/Deployment']),
    areApisComplete: false,
  });
  const taint = { key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule' };
  const clusters = [facts('m1', []), facts('m2', [taint])];
  const world = { clusters, rules: standardRules } as never;
  const { state, summary } = explainWork(withBinding({ placement }, [item], { world }));
  assert.deepEqual([state, summary], ['running', '2 of 2 replicas ready on m1 (2)']);
});

test('does not miss a lost cluster in which a Job had ended before', () => {
  const resource = { ...RESOURCE, apiVersion: 'batch/v1', kind: 'Job', name: 'web' };
  const lost = { ...CLUSTER, status: { conditions: [condition('Ready', 'False', 'Lost')] } };
  const status = { conditions: [{ type: 'Complete', status: 'True' }] };
  const item = { ...READY, health: 'Unknown', status };
  const snapshot = withBinding({ resource }, [item], { clusters: { value: [lost] as never } });
  const told = explainWork(snapshot);
  assert.deepEqual([told.state, told.findings], ['finished', []]);
  const { value } = snapshot.binding as { readonly value: Binding };
  assert.deepEqual(bindingTroubles(value), []);
});

const namespaces: readonly (readonly [name: string, labels: object, state: string, RegExp])[] = [
  ['team', {}, 'running', /^it goes to all clusters by itself/],
  ['karmada-demo', {}, 'running', /^it goes to all clusters by itself/],
  [
    'team',
    { 'namespace.karmada.io/skip-auto-propagation': 'true' },
    'held',
    /^its label .* keeps it out of the clusters/,
  ],
  ['karmada-system', {}, 'held', /no policy has it|no propagation policy selects it/],
  ['karmada-es-m1', {}, 'held', /no policy has it|no propagation policy selects it/],
  ['kube-extra', {}, 'held', /no policy has it|no propagation policy selects it/],
];
for (const [name, labels, expected, words] of namespaces) {
  for (const policies of [{ value: [] }, HIDDEN]) {
    const reader = 'value' in policies ? 'everybody' : 'who may not read policies';
    const label = Object.keys(labels).length === 0 ? '' : ' that is kept';
    test(`says of the namespace ${name}${label} to ${reader} whether it needs a policy`, () => {
      const resource = { apiVersion: 'v1', kind: 'Namespace', name };
      const template = { value: { ...resource, metadata: { name, labels } } as never };
      const parts = { resource, template, policies, binding: { value: undefined } };
      const { state, summary } = explainWork(snapshotOf(HIDDEN, parts));
      assert.equal(state, expected, summary);
      assert.match(summary, words);
    });
  }
}

test('work that is held hears at once that its policy names a cluster in vain', () => {
  const suspension = { scheduling: true };
  const placement = { clusterAffinity: { clusterNames: ['m2'] } };
  const { binding } = withBinding({ suspension, placement, clusters: undefined }, []) as never as {
    readonly binding: { readonly value: { readonly status: object } };
  };
  const conditions = [condition('Admitted', 'False', 'QueueClosed', 'the queue a is closed')];
  const value = { ...binding.value, status: { ...binding.value.status, conditions } };
  const snapshot = withBinding({}, [], { binding: { value } as never });
  const { summary, findings } = explainWork({ ...snapshot, binding: { value } } as never);
  assert.equal(summary, 'the queue a is closed');
  const unknown = findings.find(({ reason }) => reason === 'UnknownCluster');
  assert.deepEqual([unknown?.severity, unknown?.message], ['info', 'no cluster is named `m2`']);
});

test('a cluster for which overrides cannot be applied keeps an earlier version', () => {
  const refused = condition(
    'WorksWritten',
    'False',
    'OverrideRefused',
    'm1: override policy x: no',
  );
  const item = { ...READY, status: { replicas: 2, readyReplicas: 2 } };
  const scheduled = condition('Scheduled', 'True', 'Success');
  const { binding } = withBinding({}, [item]) as never as {
    readonly binding: { readonly value: { readonly status: object } };
  };
  const value = {
    ...binding.value,
    status: { ...binding.value.status, conditions: [scheduled, refused] },
  };
  const snapshot = withBinding({}, [item]);
  const { summary, clusters } = explainWork({ ...snapshot, binding: { value } } as never);
  assert.equal(summary, '2 of 2 replicas ready, but m1: override policy x: no');
  assert.equal(clusters[0]?.work, 'behind');
});

test('what missing replicas are missing for comes before a fault that takes none', () => {
  const lost = {
    metadata: { name: 'm2' },
    spec: {},
    status: { conditions: [condition('Ready', 'Unknown', 'ClusterNotReachable', 'no answer')] },
  };
  const refused = condition(
    'WorksWritten',
    'False',
    'OverrideRefused',
    'm1: override policy x: no',
  );
  const clusters = [
    { name: 'm1', replicas: 2 },
    { name: 'm2', replicas: 2 },
  ];
  const items = [
    { ...READY, status: { replicas: 2, readyReplicas: 2 } },
    {
      clusterName: 'm2',
      applied: true,
      health: 'Unknown',
      status: { replicas: 2, readyReplicas: 2 },
    },
  ];
  const parts = { clusters: { value: [CLUSTER, lost] as never } };
  const { binding, ...snapshot } = withBinding({ clusters, replicas: 4 }, items, parts);
  const { value } = binding as never as { readonly value: { readonly status: object } };
  const scheduled = condition('Scheduled', 'True', 'Success');
  const status = { ...value.status, conditions: [scheduled, refused] };
  const told = explainWork({ ...snapshot, binding: { value: { ...value, status } } } as never);
  assert.match(told.summary, /^2 of 4 replicas ready: m2 is not reachable since /);
});

test('of work whose object and binding say nothing, it is told what is known', () => {
  const { summary } = explainWork(
    snapshotOf(HIDDEN, { template: HIDDEN, binding: { value: undefined } }),
  );
  assert.match(summary, /^it has no binding, so that nothing places it; why, is not known/);
});
