import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Version } from '@perigee/scheduling/explain/history/object-versions';
import { placementHistory } from '@perigee/scheduling/explain/history/placement-history';
import {
  recordedHistory,
  withOlderPlacements,
} from '@perigee/scheduling/explain/history/recorded-history';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import {
  PLACEMENTS,
  placementsOf,
  withPlacement,
} from '../../src/placement/scheduler/placement-record.ts';

const version = (minute: number, spec: object, annotations: object = {}): Version<Binding> => ({
  time: `2026-01-01T00:0${minute}:00Z`,
  object: { metadata: { name: 'web-deployment', annotations }, spec } as never,
});

const on = (first: number, second?: number) => [
  { name: 'm1', replicas: first },
  ...(second === undefined ? [] : [{ name: 'm2', replicas: second }]),
];

const template = (manager: string, scaler?: string) => ({
  object: {
    metadata: {
      name: 'web',
      managedFields: [
        {
          manager,
          time: '2026-01-01T00:00:00Z',
          fieldsV1: scaler ? {} : { 'f:spec': { 'f:replicas': {} } },
        },
        ...(scaler
          ? [
              {
                manager: scaler,
                subresource: 'scale',
                fieldsV1: { 'f:spec': { 'f:replicas': {} } },
              },
            ]
          : []),
      ],
    },
  } as never,
});

test('tells placements with their cause, who caused them, and what moved', () => {
  const versions = [
    version(0, { replicas: 4 }),
    version(1, { replicas: 4, clusters: on(2, 2) }),
    version(2, { replicas: 6, clusters: on(2, 2) }),
    version(2, { replicas: 6, clusters: on(3, 3) }),
    version(3, {
      replicas: 6,
      clusters: on(3),
      gracefulEvictionTasks: [
        { fromCluster: 'm2', reason: 'TaintUntolerated', producer: 'TaintManager', replicas: 3 },
      ],
    }),
    version(4, { replicas: 6, clusters: on(6) }),
    { time: '2026-01-01T00:05:00Z' },
  ];
  const templates = [template('kubectl-create', 'kubectl')];
  const told = placementHistory(versions, { templates, policies: [] }).map(
    ({ event, cause, by, before, after, moved }) => [event, cause, by, before, after, moved],
  );
  assert.deepEqual(told, [
    ['Placed', 'PlacementChanged', 'kubectl-create', '', 'm1:2 m2:2', 4],
    ['Moved', 'AlwaysScheduled', undefined, 'm1:2 m2:2', 'm1:3 m2:3', 2],
    ['Evicting', 'TaintUntolerated', 'TaintManager', 'm1:3 m2:3', 'm1:3', 3],
    ['Moved', 'AlwaysScheduled', undefined, 'm1:3', 'm1:6', 3],
    ['Deleted', 'Deleted', undefined, 'm1:6', '', undefined],
  ]);
});

test('takes the cause from the record of the scheduler, and who scaled from the managed fields', () => {
  const first = withPlacement({}, 'PlacementChanged', on(2), 60_000);
  const second = withPlacement({ annotations: first }, 'ReplicasChanged', on(3), 120_000);
  const versions = [
    version(1, { replicas: 2, clusters: on(2) }, first),
    version(2, { replicas: 3, clusters: on(3) }, second),
  ];
  const templates = [template('kubectl-create', 'kubectl')];
  const last = placementHistory(versions, { templates, policies: [] }).at(-1);
  assert.deepEqual([last?.cause, last?.by, last?.moved], ['ReplicasChanged', 'kubectl', 1]);
});

test('keeps the last ten placements, and nothing that others wrote in their place', () => {
  let annotations = {};
  for (let at = 0; at < 12; at += 1) {
    annotations = withPlacement({ annotations }, 'ReplicasChanged', on(at), at * 1000);
  }
  const kept = placementsOf({ annotations });
  assert.deepEqual([kept.length, kept[0]?.clusters, kept[9]?.clusters], [10, 'm1:2', 'm1:11']);
  assert.deepEqual(placementsOf({ annotations: { [PLACEMENTS]: '{"at":1}' } }), []);
  assert.deepEqual(placementsOf({ annotations: { [PLACEMENTS]: '[1,{"at":"x"}]' } }), []);
  const [entry] = recordedHistory({ metadata: { annotations } } as never);
  // The placement before the tenth from the end is unknown: it was not nowhere.
  assert.deepEqual([entry?.before, entry?.after], ['…', 'm1:2']);
});

test('tells a cause that is named like a property of objects by its name', () => {
  const annotations = withPlacement({}, 'constructor', on(2), 60_000);
  const [recorded] = recordedHistory({ metadata: { annotations } } as never);
  const versions = [version(0, { replicas: 2 }), version(1, { clusters: on(2) }, annotations)];
  const [known] = placementHistory(versions, { templates: [], policies: [] });
  assert.deepEqual([recorded?.message, known?.message], ['constructor', 'constructor']);
});

const PLACED = withPlacement({}, 'PlacementChanged', on(2), 60_000);
const SCALED = withPlacement({ annotations: PLACED }, 'ReplicasChanged', on(3), 120_000);
const IN_M2 = [{ name: 'm2', replicas: 3 }];
const MOVED = withPlacement({ annotations: SCALED }, 'PlacementChanged', IN_M2, 180_000);

/** The version that a server knows from its start, of which it has no time. */
const base = ({ object }: Version<Binding>, conditions: readonly object[] = []) => ({
  object: { ...object, status: { conditions } } as never,
});
const HELD = [{ type: 'Admitted', status: 'False', reason: 'Preempted', message: '' }];
const evicting = { gracefulEvictionTasks: [{ fromCluster: 'm9', reason: 'TaintUntolerated' }] };

const afterRestarts: readonly (readonly [string, readonly Version<Binding>[], string])[] = [
  [
    'the present only',
    [base(version(0, { replicas: 3, clusters: IN_M2 }, MOVED))],
    'Placed m1:2, Scaled m1:3, Moved m2:3',
  ],
  [
    'that work without a place is held',
    [base(version(0, { replicas: 2 }, PLACED), HELD)],
    'Placed m1:2, Held ',
  ],
  [
    'that work leaves a cluster',
    [base(version(0, { replicas: 2, clusters: on(2), ...evicting }, PLACED))],
    'Placed m1:2, Evicting m1:2',
  ],
  [
    'what came after it, as soon as a later second than it was decided in',
    [version(0, { replicas: 2 }), version(2, { replicas: 2, clusters: on(2) }, PLACED)],
    'Placed m1:2',
  ],
  [
    'what came after it without the time',
    [
      base(version(0, { replicas: 2, clusters: on(2) }, PLACED)),
      base(version(0, { replicas: 3, clusters: on(3) }, SCALED)),
    ],
    'Placed m1:2, Scaled m1:3',
  ],
  [
    'a binding that was written with its place',
    [version(2, { replicas: 3, clusters: on(3) }, SCALED)],
    'Placed m1:2, Scaled m1:3',
  ],
];
for (const [what, versions, expected] of afterRestarts) {
  test(`tells what was before a restart by the record, when the server knows ${what}`, () => {
    const entries = placementHistory(versions, { templates: [], policies: [] });
    const told = withOlderPlacements(entries, versions);
    assert.equal(told.map(({ event, after }) => `${event} ${after}`).join(', '), expected);
  });
}

const written = (time: string, generation: number, manager: string, since = time) => ({
  time: `2026-01-01T00:${time}Z`,
  object: {
    metadata: {
      name: 'web',
      generation,
      managedFields: [{ manager, time: `2026-01-01T00:${since}Z`, fieldsV1: {} }],
    },
  } as never,
});

const refusedAt = (time: string) => ({
  time: `2026-01-01T00:${time}Z`,
  object: {
    metadata: { name: 'web-deployment', annotations: {} },
    spec: { replicas: 2 },
    status: {
      conditions: [
        { type: 'Scheduled', status: 'False', lastTransitionTime: `2026-01-01T00:${time}Z` },
      ],
    },
  } as never,
});

const firstPlacement = (
  versions: readonly Version<Binding>[],
  policies: readonly Version<never>[],
  templates: readonly Version<never>[] = [],
) => {
  const told = placementHistory(versions, { templates, policies });
  return told.map(({ by, message }) => [by, message]);
};

test('names who wrote the object, if that came after the policy', () => {
  const versions = [version(1, { replicas: 2 }), version(1, { replicas: 2, clusters: on(2) })];
  const policies = [written('00:00', 1, 'argo')];
  assert.deepEqual(firstPlacement(versions, policies, [written('01:00', 1, 'kubectl-create')]), [
    ['kubectl-create', 'a policy has it'],
  ]);
});

test('names nobody for a policy that somebody took a field out of, since nobody is on record', () => {
  const versions = [refusedAt('01:00'), version(3, { replicas: 2, clusters: on(2) })];
  const policies = [written('00:00', 1, 'argo'), written('03:00', 2, 'argo', '00:00')];
  assert.deepEqual(firstPlacement(versions, policies), [[undefined, 'a policy has it']]);
});

test('does not say that a policy got a place for work that it had been refused with', () => {
  const versions = [refusedAt('01:00'), version(3, { replicas: 2, clusters: on(2) })];
  assert.deepEqual(firstPlacement(versions, [written('00:00', 1, 'argo')]), [
    [undefined, 'no cluster took it before, and one does now'],
  ]);
});
