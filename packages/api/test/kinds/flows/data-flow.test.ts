import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { DataBackup } from '../../../src/kinds/flows/data-backup.ts';
import { DataLoad } from '../../../src/kinds/flows/data-load.ts';
import { DataMigrate } from '../../../src/kinds/flows/data-migrate.ts';
import { DataProcess } from '../../../src/kinds/flows/data-process.ts';
import { assertRefused, stored } from '../admission.ts';

/** Fields that the four kinds of operation have in common. */
const dataset = { name: 'raw-data', namespace: 'default' };
const operations = [
  { kind: DataLoad, spec: { dataset } },
  {
    kind: DataMigrate,
    spec: { from: { externalStorage: { uri: 's3://raw/' } }, to: { dataset } },
  },
  { kind: DataBackup, spec: { dataset: 'raw-data', backupPath: 'pvc://backups/raw/' } },
  {
    kind: DataProcess,
    spec: { dataset: { ...dataset, mountPath: '/data' }, processor: { script: { source: 'ls' } } },
  },
];

test('the design’s DataLoad waits for its DataMigrate', () => {
  const after = stored(
    DataLoad,
    parse(`
apiVersion: data.fluid.io/v1alpha1
kind: DataLoad
metadata: { name: raw-data-warmup, namespace: default }
spec:
  dataset: { name: raw-data }
  runAfter:
    operationKind: DataMigrate
    name: raw-data-migrate
    namespace: default
status:
  waitFor:
    operationComplete: true
`),
  );
  assert.deepEqual(after, {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { name: 'raw-data-warmup', namespace: 'default' },
    spec: {
      dataset: { name: 'raw-data', namespace: 'default' },
      policy: 'Once',
      runAfter: { kind: 'DataMigrate', name: 'raw-data-migrate', namespace: 'default' },
    },
    status: {
      phase: '',
      duration: '',
      conditions: [],
      waitingFor: { operationComplete: true },
    },
  });
});

for (const { kind, spec } of operations) {
  const operation = (extra: object, status?: object) => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: kind.kind,
    metadata: { name: 'step2', namespace: 'default' },
    spec: { ...spec, ...extra },
    ...(status ? { status } : {}),
  });

  test(`${kind.kind}: runAfter is kept with every field that Fluid has`, () => {
    const runAfter = {
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataLoad',
      name: 'step1',
      namespace: 'elsewhere',
      affinityStrategy: {
        policy: 'Prefer',
        dependOn: { kind: 'DataProcess', name: 'step0' },
        prefers: [{ name: 'topology.kubernetes.io/zone', weight: 10 }],
        requires: [{ name: 'kubernetes.io/hostname' }],
      },
    };
    const after = stored(kind, operation({ runAfter, ttlSecondsAfterFinished: 0 }));
    assert.deepEqual(after.spec.runAfter, runAfter);
    assert.equal(after.spec.ttlSecondsAfterFinished, 0);
  });

  test(`${kind.kind}: the status is kept with every field that Fluid has`, () => {
    const status = parse(`
phase: Complete
duration: 1m3s
conditions:
  - type: Complete
    status: "True"
    reason: JobComplete
    message: Done.
    lastProbeTime: "2026-01-02T03:04:05Z"
    lastTransitionTime: "2026-01-02T03:04:05Z"
infos: { BackupLocationPath: "pvc://backups/raw/" }
lastScheduleTime: "2026-01-02T03:03:00Z"
lastSuccessfulTime: "2026-01-02T03:04:05Z"
waitingFor: { operationComplete: false }
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      - matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [node1] }]
`);
    assert.deepEqual(stored(kind, operation({}, status)).status, status);
  });

  test(`${kind.kind}: an operation cannot run after itself`, () => {
    for (const namespace of [{}, { namespace: '' }, { namespace: 'default' }]) {
      const runAfter = { kind: kind.kind, name: 'step2', ...namespace };
      assertRefused(kind, operation({ runAfter }), {
        field: 'spec.runAfter.name',
        message: /cannot wait for itself/,
      });
    }
  });

  test(`${kind.kind}: an operation cannot follow itself to its nodes`, () => {
    const dependOn = { kind: kind.kind, name: 'step2' };
    const runAfter = { kind: 'DataLoad', name: 'step1', affinityStrategy: { dependOn } };
    assertRefused(kind, operation({ runAfter }), {
      field: 'spec.runAfter.affinityStrategy.dependOn.name',
      message: /cannot wait for itself/,
    });
  });

  test(`${kind.kind}: one of the same name elsewhere, or of another kind, is not itself`, () => {
    const other = kind === DataLoad ? 'DataProcess' : 'DataLoad';
    for (const runAfter of [
      { kind: kind.kind, name: 'step2', namespace: 'elsewhere' },
      { kind: other, name: 'step2' },
    ]) {
      assert.deepEqual(stored(kind, operation({ runAfter })).spec.runAfter, runAfter);
    }
  });

  test(`${kind.kind}: runAfter can be taken away and given another target`, () => {
    const old = stored(kind, operation({ runAfter: { kind: 'DataLoad', name: 'step1' } }));
    assert.equal(stored(kind, operation({}), old).spec.runAfter, undefined);
    const runAfter = { kind: 'DataLoad', name: 'step0' };
    assert.deepEqual(stored(kind, operation({ runAfter }), old).spec.runAfter, runAfter);
  });

  test(`${kind.kind}: what Perigee adds is kept, and nothing of it is filled in`, () => {
    const extra = {
      runAfterAll: [
        { kind: 'DataLoad', name: 'left' },
        { kind: 'DataProcess', name: 'right', namespace: 'elsewhere' },
      ],
      onPredecessorFailure: 'fail',
      placement: { clusterAffinity: { clusterNames: ['site-a', 'site-b'] } },
      suspend: true,
      cancel: false,
      backoffLimit: 0,
      activeDeadlineSeconds: 60,
    };
    assert.deepEqual(stored(kind, operation(extra)).spec, {
      ...stored(kind, operation({})).spec,
      ...extra,
    });
    const seed = operation({ runAfterAll: [{ operationKind: 'DataLoad', name: 'left' }] });
    assert.deepEqual(stored(kind, seed).spec.runAfterAll, [{ kind: 'DataLoad', name: 'left' }]);
  });

  test(`${kind.kind}: the state per cluster is kept`, () => {
    const status = parse(`
phase: Executing
duration: Unfinished
conditions: []
clusters:
  - name: site-a
    phase: Complete
    reason: Succeeded
    message: Copied.
    startTime: "2026-01-02T03:04:05Z"
    completionTime: "2026-01-02T03:05:05Z"
    node: node1
    progress: { bytesDone: 10, bytesTotal: 10, filesDone: 1, filesTotal: 1, percentage: 100, bytesPerSecond: 5, secondsLeft: 0 }
    result: { bytes: 10, files: 1, digest: "sha256:00" }
  - { name: site-b, phase: Pending }
progress: { bytesDone: 10, bytesTotal: 20, percentage: 50 }
attempts: 1
startTime: "2026-01-02T03:04:05Z"
retriedFor: again
`);
    assert.deepEqual(stored(kind, operation({}, status)).status, status);
  });

  test(`${kind.kind}: a cancelled operation stays cancelled`, () => {
    const old = stored(kind, operation({ cancel: true }));
    for (const extra of [{}, { cancel: false }])
      assertRefused(kind, operation(extra), { field: 'spec.cancel', message: /create a new/ }, old);
  });

  const refused: readonly (readonly [string, object, string])[] = [
    [
      'a Job in the list',
      { runAfterAll: [{ kind: 'Job', name: 'a' }] },
      'spec.runAfterAll[0].kind',
    ],
    [
      'itself in the list',
      {
        runAfterAll: [
          { kind: 'DataLoad', name: 'a' },
          { kind: kind.kind, name: 'step2' },
        ],
      },
      'spec.runAfterAll[1].name',
    ],
    ['another policy', { onPredecessorFailure: 'ignore' }, 'spec.onPredecessorFailure'],
    ['a negative number of retries', { backoffLimit: -1 }, 'spec.backoffLimit'],
    ['no time at all', { activeDeadlineSeconds: 0 }, 'spec.activeDeadlineSeconds'],
    [
      'two ways to name clusters',
      { placement: { clusterAffinity: {}, clusterAffinities: [{ affinityName: 'a' }] } },
      'spec.placement.clusterAffinities',
    ],
    ['a Job to run after', { runAfter: { kind: 'Job', name: 'a' } }, 'spec.runAfter.kind'],
    ['an operation without a name', { runAfter: { kind: 'DataLoad' } }, 'spec.runAfter.name'],
    [
      'an unknown affinity policy',
      { runAfter: { kind: 'DataLoad', name: 'a', affinityStrategy: { policy: 'Avoid' } } },
      'spec.runAfter.affinityStrategy.policy',
    ],
    [
      'a weight beyond 100',
      {
        runAfter: {
          kind: 'DataLoad',
          name: 'a',
          affinityStrategy: { prefers: [{ name: 'rack', weight: 101 }] },
        },
      },
      'spec.runAfter.affinityStrategy.prefers[0].weight',
    ],
    ['a negative time to live', { ttlSecondsAfterFinished: -1 }, 'spec.ttlSecondsAfterFinished'],
  ];
  for (const [what, extra, field] of refused) {
    test(`${kind.kind}: refused: ${what}`, () => {
      assertRefused(kind, operation(extra), { field });
    });
  }

  test(`${kind.kind}: refused: a phase that does not exist`, () => {
    const input = operation({}, { phase: 'Running' });
    assertRefused(kind, input, { field: 'status.phase', message: /Executing/ });
  });
}
