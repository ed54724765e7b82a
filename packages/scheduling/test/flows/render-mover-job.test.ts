import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import { FAILURES } from '../../../mover/src/errors.ts';
import { NEVER_AGAIN, renderMoverJob } from '../../src/flows/render-mover-job.ts';
import { renderRun } from '../../src/flows/render-run.ts';
import type { RenderedRun, RunParts } from '../../src/flows/run-parts.ts';
import { operation } from './operations.ts';

type Mounts = Dataset['spec']['mounts'];

const render = (kind: string, spec: object, mounts: Mounts = []): RenderedRun =>
  renderRun(operation(kind, { spec }), 'run', {
    findDataset: (name) =>
      ({ metadata: { namespace: 'default', name }, spec: { mounts } }) as unknown as Dataset,
    mover: { image: 'mover:1', hostPaths: ['/srv', '/mnt/nas'] },
  });

const run = (kind: string, spec: object, mounts?: Mounts): RunParts => {
  const rendered = render(kind, spec, mounts);
  assert.equal(rendered.kind, 'run', JSON.stringify(rendered));
  return rendered as RunParts;
};

/** From where to where the orders of a run copy, with true names for the volumes. */
const copies = ({ podSpec, files }: RunParts): readonly string[] => {
  const volumes = new Map(
    (podSpec.volumes as JsonObject[]).map(({ name, persistentVolumeClaim: claim, hostPath }) => [
      `/mover/${name}`,
      claim === undefined
        ? `host:${(hostPath as JsonObject | undefined)?.path}`
        : `claim:${(claim as JsonObject).claimName}`,
    ]),
  );
  return Object.values(files).map((text) => {
    const { from, to, mode } = JSON.parse(text);
    const end = ({ root, path }: { root: string; path: string }) =>
      `${volumes.get(root)} "${path}"`;
    return `${mode} ${end(from)} to ${end(to)}`;
  });
};

const uri = (text: string) => ({ externalStorage: { uri: text } });
const raw = (path = '') => ({ dataset: { name: 'raw', namespace: 'default', path } });

suite('what is copied', () => {
  for (const [from, to, expected] of [
    [uri('pvc://nas/a/b/'), raw(), 'copy claim:nas "a/b" to claim:raw ""'],
    [uri('local:///srv/x/'), raw('/dir1/'), 'copy host:/srv/x "" to claim:raw "dir1"'],
    [uri('dataset://default/other/d'), raw(), 'copy claim:other "d" to claim:raw ""'],
    [raw('/a'), uri('local:///srv'), 'copy claim:raw "a" to host:/srv ""'],
    [raw('/a'), uri('pvc://raw/b'), 'copy claim:raw "a" to claim:raw "b"'],
  ] as const) {
    test(`by a DataMigrate: ${expected}`, () => {
      assert.deepEqual(copies(run('DataMigrate', { from, to })), [expected]);
    });
  }

  const mounts: Mounts = [
    { mountPoint: 'local:///srv/spark', name: 'spark' },
    { mountPoint: 'pvc://nas/images', name: 'pictures', path: '/img' },
  ];

  test('by a DataLoad: each mount, to its place in the claim of the dataset', () => {
    const { podSpec, files } = run('DataLoad', {}, mounts);
    assert.deepEqual(copies({ kind: 'run', podSpec, files }), [
      'copy host:/srv/spark "" to claim:raw "spark"',
      'copy claim:nas "images" to claim:raw "img"',
    ]);
    const names = (podSpec.containers as JsonObject[]).map(({ name, command }) => [name, command]);
    assert.deepEqual(names, [
      ['mover-0', ['perigee-mover', '/mover/orders/order-0.json']],
      ['mover-1', ['perigee-mover', '/mover/orders/order-1.json']],
    ]);
  });

  test('by a DataLoad: a single mount at the root is the whole claim', () => {
    const root: Mounts = [{ mountPoint: 'pvc://nas', name: 'x', path: '/' }];
    assert.deepEqual(copies(run('DataLoad', {}, root)), ['copy claim:nas "" to claim:raw ""']);
    const nameless: Mounts = [{ mountPoint: 'pvc://nas' }];
    assert.deepEqual(copies(run('DataLoad', {}, nameless)), ['copy claim:nas "" to claim:raw ""']);
  });

  test('by a DataLoad: its targets, none of them twice', () => {
    const target = ['/spark/a/b', '/img/', '/img/deep', '/spark/a/b/'].map((path) => ({ path }));
    assert.deepEqual(copies(run('DataLoad', { target }, mounts)), [
      'copy host:/srv/spark "a/b" to claim:raw "spark/a/b"',
      'copy claim:nas "images" to claim:raw "img"',
    ]);
  });

  test('from where a product is: the claim of the dataset that was worked on', () => {
    const copy = { name: 'm1', state: 'Complete', claim: 'images', path: 'out/model' };
    const world = {
      findDataset: (name: string) =>
        ({
          metadata: { namespace: 'default', name },
          spec: {},
          status: { clusters: [copy] },
        }) as unknown as Dataset,
      mover: { image: 'mover:1', hostPaths: ['/srv'] },
    };
    const backup = operation('DataBackup', { spec: { backupPath: 'local:///srv/b' } });
    const migrate = operation('DataMigrate', { spec: { from: raw('/a'), to: uri('pvc://x') } });
    const [saved, moved] = [backup, migrate].map((one) => renderRun(one, 'run', world) as RunParts);
    assert.deepEqual(saved && copies(saved), [
      'sync claim:images "out/model" to host:/srv/b "default/raw/data"',
    ]);
    assert.deepEqual(moved && copies(moved), ['copy claim:images "out/model/a" to claim:x ""']);
  });

  test('by a DataBackup: all of the claim, to a folder of its own, which it keeps the same', () => {
    const spec = { backupPath: 'local:///srv/backups/', runAs: { uid: 7, gid: 8 } };
    const backup = run('DataBackup', spec);
    assert.deepEqual(copies(backup), ['sync claim:raw "" to host:/srv/backups "default/raw/data"']);
    const { runAsUser, fsGroup } = backup.podSpec.securityContext as JsonObject;
    assert.deepEqual([runAsUser, fsGroup], [7, 8]);
  });
});

test('the pod is as the operation wants it', () => {
  const tolerations = [{ key: 'gpu', operator: 'Exists' }];
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } };
  const { podSpec, podLabels, podAnnotations, files } = run('DataMigrate', {
    parallelism: 4,
    parallelOptions: { sshSecretName: 'unused' },
    options: { 'delete-dst': 'true', 'check-all': '', 'skip-special': 'false' },
    podMetadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
    resources: { requests: { cpu: '1' } },
    nodeSelector: { disk: 'ssd' },
    schedulerName: 'volcano',
    tolerations,
    affinity,
  });
  assert.deepEqual(podLabels, { team: 'a' });
  assert.deepEqual(podAnnotations, { note: 'b' });
  const { containers, volumes, securityContext: _, ...others } = podSpec;
  const nodeSelector = { disk: 'ssd' };
  const expected = { affinity, tolerations, nodeSelector, schedulerName: 'volcano' };
  assert.deepEqual(others, { restartPolicy: 'Never', ...expected });
  assert.deepEqual(containers, [
    {
      name: 'mover',
      image: 'mover:1',
      command: ['perigee-mover', '/mover/orders/order.json'],
      resources: { requests: { cpu: '1' } },
      terminationMessagePolicy: 'FallbackToLogsOnError',
      volumeMounts: [
        { name: 'orders', mountPath: '/mover/orders', readOnly: true },
        { name: 'data-0', mountPath: '/mover/data-0', readOnly: true },
        { name: 'data-1', mountPath: '/mover/data-1' },
      ],
    },
  ]);
  assert.deepEqual(volumes, [
    { name: 'orders', configMap: { name: 'run' } },
    { name: 'data-0', persistentVolumeClaim: { claimName: 'nas' } },
    { name: 'data-1', persistentVolumeClaim: { claimName: 'raw' } },
  ]);
  const { mode, parallelism, compare, special, terminationMessage } = JSON.parse(
    files['order.json'] ?? '',
  );
  assert.deepEqual([mode, parallelism, compare, special], ['sync', 4, 'content', undefined]);
  assert.equal(terminationMessage, '/dev/termination-log');
});

suite('what cannot be copied is refused with the reason', () => {
  const migrate = (from: object, to: object = raw(), more: object = {}) =>
    ['DataMigrate', { from, to, ...more }] as const;
  const load = (path: string, mountPoint = 'pvc://nas') =>
    ['DataLoad', { target: [{ path }] }, [{ mountPoint, name: 'x' }]] as const;
  const nested = (...paths: readonly string[]) => {
    const mounts = paths.map((path) => ({ mountPoint: `pvc://nas${path.length}`, path }));
    return ['DataLoad', { options: { 'delete-dst': 'true' } }, mounts] as const;
  };
  for (const [[kind, spec, mounts], reason, says] of [
    [migrate(uri('gopher://x/y')), 'PathNotSupported', /gopher:\/\/x\/y: there are local:\/\/\//],
    [migrate(raw(), uri('https://w.example/x/')), 'PathNotSupported', /can only be read/],
    [migrate(uri('s3://bkt/x'), uri('hdfs://n:1/x')), 'PathNotSupported', /go through a dataset/],
    [migrate(uri('hdfs://n:1/x'), uri('hdfs://m:1/x')), 'PathNotSupported', /through a dataset/],
    [migrate(uri('pvc://nas/../other')), 'PathNotSupported', /climbs out/],
    [migrate(uri('pvc://NAS')), 'PathNotSupported', /no name of a claim/],
    [migrate(uri('local:///srv/../etc')), 'PathNotSupported', /climbs out/],
    [migrate(uri('local://srv')), 'PathNotSupported', /write local:\/\/\//],
    [migrate(uri('local:///etc')), 'PathNotSupported', /--host-path.*\(now \/srv, \/mnt\/nas\)/],
    [migrate(uri('local:///srvs')), 'PathNotSupported', /--host-path/],
    [migrate(raw('../x'), uri('pvc://b')), 'PathNotSupported', /climbs out/],
    [migrate(raw('a'), uri('pvc://raw/a/b')), 'PathNotSupported', /lie in each other/],
    [
      migrate(uri('dataset://other/raw')),
      'TargetDatasetNamespaceNotSame',
      /in another namespace, where pods of default/,
    ],
    [
      migrate(uri('pvc://nas'), raw(), { options: { exclude: '*.tmp' } }),
      'NotSupported',
      /the option exclude is not known; there are threads/,
    ],
    [migrate(uri('pvc://nas'), raw(), { options: { threads: '65' } }), 'NotSupported', /1 to 64/],
    [load('/y'), 'PathNotSupported', /no mount of the dataset raw has the path \/y/],
    [load('/x/../../y'), 'PathNotSupported', /climbs out/],
    [load('/x', 'oss://b/d'), 'PathNotSupported', /oss:/],
    [['DataLoad', {}, []], 'PathNotSupported', /has no mounts/],
    [nested('/', '/y'), 'NotSupported', /delete-dst would delete what other mounts bring/],
    [nested('/x/', 'x/y'), 'NotSupported', /as mounts of the dataset lie in each other/],
    [['DataBackup', { backupPath: 'local:///root' }], 'PathNotSupported', /--host-path/],
    [['DataBackup', { backupPath: 'pvc://raw/b' }], 'PathNotSupported', /lie in each other/],
  ] as const satisfies readonly (readonly [readonly [string, object, Mounts?], string, RegExp])[]) {
    test(`${reason}: ${says.source}`, () => {
      const rendered = render(kind, spec, mounts as Mounts);
      assert.equal(rendered.kind, 'refused', JSON.stringify(rendered));
      if (rendered.kind !== 'refused') return;
      assert.equal(rendered.reason, reason);
      assert.match(rendered.message, says);
    });
  }

  test('not refused: to delete what mounts do not have that lie beside each other', () => {
    const [kind, spec, mounts] = nested('/x', '/xy', '/y/x');
    assert.equal(render(kind, spec, mounts).kind, 'run');
  });

  test('NotSupported: more targets than one pod takes', () => {
    const target = Array.from({ length: 5000 }, (_, at) => ({ path: `/x/${at}` }));
    const rendered = render('DataLoad', { target }, [{ mountPoint: 'pvc://nas', name: 'x' }]);
    assert.match(rendered.kind === 'refused' ? rendered.message : '', /at most 16/);
  });
});

test('an image of the author never runs with the keys of a transfer', () => {
  const spec = {
    from: raw(),
    to: { dataset: { name: 'lake', namespace: 'default' } },
    image: 'mine',
  };
  const migrate = operation('DataMigrate', { spec }) as DataMigrate;
  const world = { dataset: undefined, runName: 'run', mover: { image: 'mover:1', hostPaths: [] } };
  const endpoint = { url: 'https://m1', pinnedCertificate: 'c' };
  const imagesOf = (rendered: RenderedRun) =>
    ((rendered as RunParts).podSpec.containers as JsonObject[]).map(({ image }) => image);
  assert.deepEqual(imagesOf(renderMoverJob(migrate, world)), ['mine']);
  assert.deepEqual(imagesOf(renderMoverJob(migrate, { ...world, transfer: { endpoint } })), [
    'mover:1',
  ]);
});

test('what the mover calls final is not tried again by a Job', () => {
  const lasting = Object.values(FAILURES).filter(({ retryable }) => !retryable);
  assert.deepEqual(
    NEVER_AGAIN,
    lasting.map(({ exitCode }) => exitCode),
  );
});
