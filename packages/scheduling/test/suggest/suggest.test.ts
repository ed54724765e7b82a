import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { World } from '@perigee/scheduling/plan/world';
import { CLOSED } from '@perigee/scheduling/queues/queue-state';
import { suggest } from '@perigee/scheduling/suggest/suggest';
import { ExactRoom } from '../../src/placement/scheduler/estimate/exact-room.ts';
import {
  AGGREGATED,
  cluster,
  DUPLICATED,
  deployment,
  policy,
  settled,
  world,
} from '../plan/plan-world.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
const BUSY = { key: 'example.com/busy', effect: 'NoSchedule' } as const;

/** Such as `TolerateTaint -> m1:4`; the best first. */
const told = (before: World): readonly string[] =>
  suggest(before, WEB).map(
    ({ changes, to }) =>
      `${changes.map(({ reason }) => reason).join('+')} -> ${to.map(({ name, replicas }) => `${name}:${replicas}`).join(' ')}`,
  );

const named = (...clusterNames: readonly string[]) => ({ clusterAffinity: { clusterNames } });
const gold = { clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } } };

const inRegion = (region: string) => ({
  clusterAffinity: {
    fieldSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: [region] }] },
  },
});

/** A policy with one selector, by name. */
const selecting = (selector: object) =>
  policy(AGGREGATED, {
    resourceSelectors: [{ apiVersion: 'apps/v1', ...selector, name: 'web' }],
  });

const stuck = (parts: Partial<World>): World =>
  settled(world({ templates: [deployment('web', 4)], ...parts }));

const queueOf = (name: string, annotations: object, spec: object) =>
  ({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '', annotations },
    spec,
  }) as never;

/** Work in the queue "team", which is not there without a spec. */
const queued = (annotations: object, spec: object | undefined, named = 'team'): World =>
  stuck({
    queues: [
      queueOf('default', {}, {}),
      ...(spec === undefined ? [] : [queueOf('team', annotations, spec)]),
    ],
    policies: [policy(AGGREGATED)],
    templates: [deployment('web', 4, '1', { 'volcano.sh/queue-name': named })],
  });

const source = (...clusterNames: readonly string[]) =>
  ({
    apiVersion: 'datadependency.volcano.sh/v1alpha1',
    kind: 'DataSource',
    metadata: { name: 'logs', uid: 'logs', resourceVersion: '1', creationTimestamp: '' },
    spec: { system: 's3', type: 'bucket', name: 'logs', locality: { clusterNames } },
  }) as never;

/** Work that claims the data "logs". */
const claimed = (sources: World['sources'], affinity: object = {}): World =>
  stuck({
    sources,
    policies: [policy({ ...AGGREGATED, ...affinity })],
    claims: [
      {
        apiVersion: 'datadependency.volcano.sh/v1alpha1',
        kind: 'DataSourceClaim',
        metadata: { namespace: 'default', name: 'logs', uid: 'c', resourceVersion: '1' },
        spec: {
          system: 's3',
          dataSourceType: 'bucket',
          dataSourceName: 'logs',
          workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        },
        ...(sources.some(({ spec }) => spec.name === 'logs')
          ? { status: { phase: 'Bound', boundDataSource: 'logs' } }
          : {}),
      } as never,
    ],
  });

const CASES: readonly (readonly [what: string, before: World, first: string])[] = [
  ['a policy for work that none selects', stuck({}), 'AddPolicy -> m1:4'],
  [
    'the label by which a policy selects',
    stuck({
      policies: [
        policy(AGGREGATED, {
          resourceSelectors: [
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              labelSelector: { matchLabels: { team: 'a' } },
            },
          ],
        }),
      ],
    }),
    'LabelWork -> m1:4',
  ],
  [
    'a misspelt name of a cluster',
    stuck({ policies: [policy({ ...AGGREGATED, ...named('m11') })] }),
    'FixClusterName -> m1:4',
  ],
  [
    'a toleration',
    stuck({ clusters: [cluster('m1', { taints: [BUSY] })], policies: [policy(AGGREGATED)] }),
    'TolerateTaint -> m1:4',
  ],
  [
    'another cluster in the affinity',
    stuck({
      clusters: [cluster('m1', { cpu: '1' }), cluster('m2')],
      policies: [policy({ ...AGGREGATED, ...named('m1') })],
    }),
    'AddClusterToAffinity -> m2:4',
  ],
  [
    'no label that clusters do not have',
    stuck({ clusters: [cluster('m1')], policies: [policy({ ...AGGREGATED, ...gold })] }),
    'FixAffinity -> m1:4',
  ],
  [
    'the region that is nearly the one asked for, and not that of the largest cluster',
    stuck({
      clusters: [cluster('m1', { cpu: '90', region: 'east' }), cluster('m2', { region: 'west' })],
      policies: [policy({ ...AGGREGATED, ...inRegion('wset') })],
    }),
    'FixAffinity -> m2:4',
  ],
  [
    'the kind that a policy nearly selects',
    stuck({ policies: [selecting({ kind: 'Deploymnet' })] }),
    'FixSelector -> m1:4',
  ],
  [
    'the version of the kind that a policy selects',
    stuck({ policies: [selecting({ apiVersion: 'apps/v2', kind: 'Deployment' })] }),
    'FixSelector -> m1:4',
  ],
  ['the queue that is nearly named so', queued({}, {}, 'taem'), 'FixQueueName -> m1:4'],
  [
    'the data that is nearly named so',
    claimed([
      {
        ...(source() as object),
        metadata: { name: 'logbook', uid: 'l', resourceVersion: '1', creationTimestamp: '' },
        spec: { system: 's3', type: 'bucket', name: 'lgos', locality: { clusterNames: ['m2'] } },
      } as never,
    ]),
    'FixDataName -> m2:4',
  ],
  [
    'more clusters to spread over',
    stuck({
      clusters: [cluster('m1', { cpu: '2' }), cluster('m2', { cpu: '2' })],
      policies: [
        policy({
          ...AGGREGATED,
          spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }],
        }),
      ],
    }),
    'RaiseMaxGroups -> m1:2 m2:2',
  ],
  [
    'fewer clusters to spread over',
    stuck({
      clusters: [cluster('m1')],
      policies: [
        policy({
          ...DUPLICATED,
          spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 3 }],
        }),
      ],
    }),
    'LowerMinGroups -> m1:4',
  ],
  [
    'as many replicas as fit',
    stuck({
      clusters: [cluster('m1', { cpu: '3' })],
      policies: [policy(AGGREGATED)],
    }),
    'FewerReplicas -> m1:3',
  ],
  [
    'a scheduler that runs',
    stuck({ policies: [policy(AGGREGATED, { schedulerName: 'mine' })] }),
    'NameScheduler -> m1:4',
  ],
  [
    'dispatching that is resumed',
    stuck({ policies: [policy(AGGREGATED, { suspension: { dispatching: true } })] }),
    'ResumeWork -> m1:4',
  ],
  [
    'a kind that a cluster would serve',
    stuck({
      clusters: [
        { ...cluster('m1'), status: { ...cluster('m1').status, apiEnablements: [] } } as never,
      ],
      policies: [policy(AGGREGATED)],
    }),
    'ServeApi -> m1:4',
  ],
  ['a queue that is opened', queued({ [CLOSED]: 'true' }, {}), 'OpenQueue -> m1:4'],
  ['a queue that may use more', queued({}, { capability: { cpu: '3' } }), 'RaiseQueue -> m1:4'],
  ['a queue that is there', queued({}, undefined), 'AddQueue -> m1:4'],
  ['data that is told of', claimed([]), 'AddData -> m1:4'],
  ['data that is brought to a cluster', claimed([source('gone')]), 'AddData -> m1:4'],
  [
    'the cluster that has the data',
    claimed([source('m3')], named('m1', 'm2')),
    'AddClusterToAffinity -> m3:4',
  ],
  [
    'two changes, when one is not enough',
    stuck({
      clusters: [cluster('m1', { taints: [BUSY] })],
      policies: [policy({ ...AGGREGATED, ...gold })],
    }),
    'FixAffinity+TolerateTaint -> m1:4',
  ],
];

describe('the first suggestion is', () => {
  for (const [what, before, first] of CASES) {
    it(what, () => assert.equal(told(before)[0], first));
  }
});

describe('suggestions', () => {
  it('are none for work that runs', () => {
    assert.deepEqual(told(stuck({ policies: [policy(AGGREGATED)] })), []);
  });

  it('are of different kinds, the smallest first, and none frees more than a cluster has', () => {
    const small = stuck({
      clusters: [cluster('m1', { cpu: '3' })],
      policies: [policy(AGGREGATED)],
    });
    assert.deepEqual(told(small), ['FewerReplicas -> m1:3', 'SmallerRequests -> m1:4']);
  });

  it('offer no cluster whose nodes have no room', () => {
    const full = { free: new ExactRoom([], new Set()) };
    const before = stuck({ policies: [policy({ ...DUPLICATED, ...named('nowhere') })] });
    const spaces = new Map([
      ['m1', full],
      ['m2', full],
    ]);
    assert.deepEqual(told({ ...before, spaces }), ['AddClusterToAffinity -> m3:4']);
  });

  it('tell one change once, though every cluster asks for it', () => {
    const before = stuck({ policies: [policy({ ...AGGREGATED, ...gold })] });
    const texts = suggest(before, WEB).map(({ changes }) => changes.map(({ text }) => text).join());
    assert.equal(new Set(texts).size, texts.length, texts.join('\n'));
  });

  it('tell a pair of changes in one order only', () => {
    const suspension = { dispatching: true };
    const before = stuck({ policies: [policy({ ...AGGREGATED, ...named('m9') }, { suspension })] });
    const pairs = suggest(before, WEB).map(({ changes }) =>
      changes
        .map(({ text }) => text)
        .toSorted()
        .join(),
    );
    assert.ok(pairs.length > 0);
    assert.equal(new Set(pairs).size, pairs.length, pairs.join('\n'));
  });

  it('do not call a selector misspelt that selects other work', () => {
    const clusters = [cluster('m1')];
    const selectors = policy(AGGREGATED, {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'webs' }],
    });
    const alone = stuck({ clusters, policies: [selectors] });
    assert.equal(told(alone)[0], 'FixSelector -> m1:4');
    const templates = [deployment('web', 4), deployment('webs', 4)];
    const both = stuck({ clusters, templates, policies: [selectors] });
    assert.deepEqual(told(both), ['AddPolicy -> m1:4']);
  });

  it('take a requirement out of a selector by a patch that keeps the others', () => {
    const matchLabels = { tier: 'gold', zone: 'a' };
    const clusterAffinity = { labelSelector: { matchLabels } };
    const before = stuck({
      clusters: [cluster('m1', { labels: { zone: 'a' } })],
      policies: [policy({ ...AGGREGATED, clusterAffinity })],
    });
    const [change] = suggest(before, WEB)[0]?.changes ?? [];
    assert.partialDeepStrictEqual(change, {
      reason: 'FixAffinity',
      text: 'do not ask for the label tier in the policy all',
      patch: {
        spec: {
          placement: { clusterAffinity: { labelSelector: { matchLabels: { tier: null } } } },
        },
      },
    });
  });

  it('are none where the obstacle cannot be seen', () => {
    const before = stuck({ policies: [policy(AGGREGATED)] });
    assert.deepEqual(suggest(before, WEB, { obstacles: [{ kind: 'override' }] }), []);
  });

  it('tell the patch that does it', () => {
    const before = stuck({ policies: [policy({ ...AGGREGATED, ...named('m11') })] });
    const [change] = suggest(before, WEB)[0]?.changes ?? [];
    assert.partialDeepStrictEqual(change, {
      text: 'name the cluster m1 instead of m11, which does not exist, in the policy all',
      target: { kind: 'PropagationPolicy', namespace: 'default', name: 'all' },
      patch: { spec: { placement: { clusterAffinity: { clusterNames: ['m1'] } } } },
    });
  });

  it('do not tolerate that a cluster is not well', () => {
    const taints = [{ key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule' }] as const;
    const clusters = [cluster('m1', { taints })].map((one) => ({
      ...one,
      status: { ...one.status, conditions: [] },
    }));
    assert.deepEqual(told(stuck({ clusters, policies: [policy(AGGREGATED)] })), []);
  });
});
