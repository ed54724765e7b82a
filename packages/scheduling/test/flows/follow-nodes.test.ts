import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { reportOf } from '../../src/flows/cluster-states.ts';
import {
  followedNodes,
  nodesOf,
  onFollowedNodes,
  reportedLabels,
} from '../../src/flows/follow-nodes.ts';
import type { Operation } from '../../src/flows/operation.ts';
import { operationStep } from '../../src/flows/operation-step.ts';
import { type Executor, placeOperation } from '../../src/flows/place-operation.ts';
import { facts, finder, jobStatus, named, operation } from './operations.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const is = (key: string, ...values: readonly string[]) => ({ key, operator: 'In', values });

/** One that ran in m1, on node01 of rack01. */
const ran = (name: string, labels: { readonly [key: string]: string }, more: object = {}) =>
  operation('DataLoad', {
    metadata: named(name, more),
    status: {
      phase: 'Complete',
      clusters: [{ name: 'm1', phase: 'Complete' }],
      nodeAffinity: nodesOf([{ name: 'm1', phase: 'Complete' }], () => labels) as never,
    },
  });

const follows = (affinityStrategy: object, more: object = {}) =>
  operation('DataLoad', {
    spec: { runAfter: { kind: 'DataLoad', name: 'first', affinityStrategy, ...more } },
  });

suite('which nodes are followed', () => {
  const first = ran('first', { [HOST]: 'node01', 'k8s.rack': 'rack01', [ZONE]: 'zone01' });

  test('none without a policy', () => {
    for (const strategy of [{}, { policy: '' }, { policy: '', requires: [{ name: ZONE }] }]) {
      const nodes = followedNodes(follows(strategy), finder(first));
      assert.deepEqual(nodes, { required: [], preferred: [], clusters: undefined });
    }
  });

  test('by a label that is not told: none, and no error', () => {
    const requires = [{ name: 'k8s.gpu' }];
    const nodes = followedNodes(follows({ policy: 'Require', requires }), finder(first));
    assert.deepEqual([nodes.required, nodes.clusters], [[], ['m1']]);
    const prefers = [{ name: 'k8s.gpu', weight: 5 }];
    assert.deepEqual(
      followedNodes(follows({ policy: 'Prefer', prefers }), finder(first)).preferred,
      [],
    );
  });

  test('required: by the host name unless other labels are named', () => {
    const required = (strategy: object) =>
      followedNodes(follows({ policy: 'Require', ...strategy }), finder(first)).required;
    assert.deepEqual(required({}), [is(HOST, 'node01')]);
    assert.deepEqual(required({ requires: [{ name: 'k8s.rack' }] }), [is('k8s.rack', 'rack01')]);
  });

  test('preferred: with the weight, also from another namespace', () => {
    const there = ran('first', { [ZONE]: 'zone01', [HOST]: 'n' }, { namespace: 'test' });
    const preferred = (strategy: object) =>
      followedNodes(
        follows({ policy: 'Prefer', ...strategy }, { namespace: 'test' }),
        finder(there),
      ).preferred;
    assert.deepEqual(preferred({ prefers: [{ name: ZONE, weight: 10 }] }), [
      { weight: 10, expression: is(ZONE, 'zone01') },
    ]);
    assert.deepEqual(preferred({}), [{ weight: 100, expression: is(HOST, 'n') }]);
  });

  test('of another operation than the one to run after, which is waited for, too', () => {
    const dependOn = { kind: 'DataLoad', name: 'test-op' };
    const one = follows({ policy: 'Require', dependOn });
    const other = ran('test-op', { [HOST]: 'node07' });
    assert.deepEqual(followedNodes(one, finder(first, other)).required, [is(HOST, 'node07')]);
    const waiting = {
      ...one,
      status: {
        phase: 'Pending',
        duration: '',
        conditions: [],
        waitingFor: { operationComplete: true },
      },
    } as never;
    const reason = (...all: readonly Operation[]) =>
      operationStep(waiting, facts({ find: finder(...all) })).status.conditions[0]?.reason;
    assert.equal(reason(first), 'PredecessorMissing');
    const failed = operation('DataLoad', {
      metadata: named('test-op'),
      status: { phase: 'Failed' },
    });
    assert.equal(reason(first, failed), 'PredecessorFailed');
    assert.equal(reason(first, other), 'Started');
  });
});

suite('where an operation ran', () => {
  const binding = (operationOfJob: object) => ({
    spec: { clusters: [{ name: 'm1' }] },
    status: {
      aggregatedStatus: [
        {
          clusterName: 'm1',
          status: jobStatus('complete', { operation: operationOfJob }) as never,
        },
      ],
    },
  });
  const affinityAfter = (said: object, spec: object = {}) =>
    operationStep(
      operation('DataLoad', {
        spec,
        status: { phase: 'Executing', attempts: 1, startTime: '2026-01-01T11:57:00Z' },
      }),
      facts({ report: reportOf(binding(said), false) }),
    ).status.nodeAffinity;
  const expressions = (said: object, spec: object = {}) =>
    affinityAfter(said, spec)?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

  test('is told by its node and the labels of that', () => {
    assert.deepEqual(expressions({ node: 'node01' }), [{ matchExpressions: [is(HOST, 'node01')] }]);
    const nodeLabels = { [HOST]: 'node01', 'topology.kubernetes.io/region': 'r', [ZONE]: 'z' };
    assert.deepEqual(expressions({ node: 'node01', nodeLabels }), [
      {
        matchExpressions: [
          is(HOST, 'node01'),
          is('topology.kubernetes.io/region', 'r'),
          is(ZONE, 'z'),
        ],
      },
    ]);
  });

  test('is not told by what is no label, nor for a schedule', () => {
    assert.equal(affinityAfter({}), undefined);
    const nodeLabels = { 'not a label': 'x', [ZONE]: 'no value!', n: 5, ok: 'yes' };
    assert.deepEqual(expressions({ nodeLabels }), [{ matchExpressions: [is('ok', 'yes')] }]);
    assert.equal(affinityAfter({ node: 'n' }, { policy: 'Cron', schedule: '@hourly' }), undefined);
  });

  test('further labels are those that are listed, without blanks', () => {
    assert.deepEqual(reportedLabels('k8s.gpu,, k8s.rack ,').slice(3), ['k8s.gpu', 'k8s.rack']);
    assert.equal(reportedLabels(undefined).length, 3);
    assert.equal(
      reportedLabels(Array.from({ length: 99 }, (_, n) => `l${n}`).join(',')).length,
      32,
    );
  });
});

test('a pod keeps what it asks for itself, in each of its terms', () => {
  const nodes = {
    required: [is(HOST, 'a')],
    preferred: [{ weight: 3, expression: is(ZONE, 'z') }],
    clusters: undefined,
  } as never;
  const own = (name: string) => ({ matchExpressions: [is(name, 'x')] });
  const podSpec = {
    affinity: {
      podAffinity: {},
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [own('p'), own('q')] },
      },
    },
  };
  assert.deepEqual(onFollowedNodes(podSpec as never, nodes), {
    affinity: {
      podAffinity: {},
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [is('p', 'x'), is(HOST, 'a')] },
            { matchExpressions: [is('q', 'x'), is(HOST, 'a')] },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 3, preference: { matchExpressions: [is(ZONE, 'z')] } },
        ],
      },
    },
  });
});

suite('where an operation goes', () => {
  const cluster = (
    name: string,
    runs: Executor['runs'] = { really: true, played: true },
  ): Executor => ({
    name,
    labels: {},
    provider: '',
    region: '',
    zones: [],
    isReady: true,
    runs,
  });
  const clusters = ['m1', 'm2', 'm3'].map((name) => cluster(name));
  const nothing = {
    policy: undefined,
    clusters,
    datasetClusters: [],
    followed: undefined,
    predecessors: [],
    originOf: undefined,
    copiesDatasets: false,
    waitingWork: [],
  };
  const only = (...clusterNames: readonly string[]) => ({ clusterAffinity: { clusterNames } });
  const waitingWork = [{ name: 'Deployment infer', placement: only('m3') as never }];
  const policy = { name: 'default/p', placement: only('m1', 'm2') as never };

  const cases: readonly (readonly [string, string, object, object, string, readonly string[]])[] = [
    ['nobody says anything', 'DataLoad', {}, {}, 'WhereRoomIs', []],
    [
      'its data is somewhere',
      'DataProcess',
      {},
      { datasetClusters: ['m2'] },
      'WhereDatasetIs',
      ['m2'],
    ],
    [
      'its data is somewhere',
      'DataBackup',
      {},
      { datasetClusters: ['m2'] },
      'WhereDatasetIs',
      ['m2'],
    ],
    [
      'work waits for it',
      'DataLoad',
      {},
      { waitingWork, datasetClusters: ['m1'] },
      'WhereClaimsWait',
      ['m3'],
    ],
    ['work waits for what it reads', 'DataProcess', {}, { waitingWork }, 'WhereRoomIs', []],
    ['it refreshes', 'DataMigrate', {}, { datasetClusters: ['m1'] }, 'WhereDatasetIs', ['m1']],
    ['it goes on', 'DataProcess', {}, { predecessors: ['m2'] }, 'WherePredecessorRan', ['m2']],
    ['a policy selects it', 'DataLoad', {}, { policy, waitingWork }, 'ByPolicy', ['m1', 'm2']],
    [
      'a policy selects it, and its data is elsewhere too',
      'DataProcess',
      {},
      { policy, datasetClusters: ['m2', 'm3'] },
      'ByPolicy',
      ['m2'],
    ],
    ['its spec says it', 'DataLoad', { placement: only('m3') }, { policy }, 'BySpec', ['m3']],
    [
      'it must follow another',
      'DataLoad',
      { placement: only('m1', 'm3') },
      { followed: ['m3'] },
      'BySpec',
      ['m3'],
    ],
  ];
  for (const [when, kind, spec, known, reason, names] of cases) {
    test(`${kind} when ${when}: ${reason}`, () => {
      const placed = placeOperation(operation(kind, { spec }), { ...nothing, ...known });
      assert.equal(placed.word.reason, reason);
      assert.deepEqual(placed.placement.clusterAffinity?.clusterNames ?? [], names);
      const isChosen = reason.startsWith('Where');
      assert.equal(placed.placement.spreadConstraints?.[0]?.maxGroups, isChosen ? 1 : undefined);
    });
  }

  test('never to a member that only plays pods, unless asked to play', () => {
    const played = { really: false, played: true };
    const real = { really: true, played: false };
    const mixed = { ...nothing, clusters: [cluster('m1', played), cluster('m2', real)] };
    const place = (known: object, annotations: object = {}) =>
      placeOperation(operation('DataLoad', { metadata: { annotations } }), { ...mixed, ...known });
    assert.deepEqual(place({}).placement.clusterAffinity?.exclude, ['m1']);
    const simulate = { 'flows.perigee.io/simulate': 'true' };
    assert.deepEqual(place({}, simulate).placement.clusterAffinity?.exclude, ['m2']);
    const nowhere = place({ clusters: [cluster('m1', played)] }).word;
    assert.deepEqual([nowhere.status, nowhere.reason], ['False', 'NoExecutor']);
    assert.match(nowhere.message, /perigee up --run-processes/);
    const toReal = place({ clusters: [cluster('m2', real)] }, simulate).word;
    assert.match(toReal.message, /m2 would really run it/);
  });
});
