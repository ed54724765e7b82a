import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject } from '@perigee/schema/json';
import { startServer } from '../../../apiserver/test/embedded/embedded-fixture.ts';
import { answerReview } from '../../src/webhook/answer-review.ts';

const LOADS = '/apis/data.fluid.io/v1alpha1/namespaces/default/dataloads';
const MERGE = 'application/merge-patch+json';

const after = (...names: readonly string[]) => ({
  runAfterAll: names.map((name) => ({ kind: 'DataLoad', name })),
});

const load = (name: string, spec: JsonObject = {}, namespace = 'default') => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: { name, namespace },
  spec: { dataset: { name: 'raw' }, ...spec },
});

suite('an operation that would wait for itself', () => {
  test('is refused with the cycle named, however long it is', async () => {
    await using api = await startServer();
    const steps = Array.from({ length: 200 }, (_, step) => `s${step}`);
    const made = await Promise.all(
      steps.map((name, step) => {
        const next = steps[step + 1];
        return api.send('POST', LOADS, load(name, next === undefined ? {} : after(next)));
      }),
    );
    assert.deepEqual([...new Set(made.map(({ code }) => code))], [201]);
    const close = { spec: after('elsewhere', 's0') };
    const { code, body } = await api.send('PATCH', `${LOADS}/s199`, close, MERGE);
    assert.equal(code, 422);
    assert.match(
      String(body.message),
      /spec\.runAfterAll\[1\]\.name: Invalid value: "s0": would make it wait for itself: DataLoad s199, which runs after DataLoad s0, which runs after DataLoad s1,.* which runs after DataLoad s199$/,
    );
    const stored = await api.client.get(DataLoad, { namespace: 'default', name: 's199' });
    assert.equal(stored.spec.runAfterAll, undefined);
    // A complete operation waits for nothing any more.
    const done = { status: { phase: 'Complete' } };
    await api.send('PATCH', `${LOADS}/s100/status`, done, MERGE);
    assert.equal((await api.send('PATCH', `${LOADS}/s199`, close, MERGE)).code, 200);
  });

  test('through runAfter in the spelling of the design, and of two kinds', async () => {
    await using api = await startServer();
    const runAfter = { operationKind: 'DataProcess', name: 'b' };
    assert.equal((await api.send('POST', LOADS, load('a', { runAfter }))).code, 201);
    const { code, body } = await api.send('POST', LOADS.replace('dataloads', 'dataprocesses'), {
      ...load('b'),
      kind: 'DataProcess',
      spec: {
        dataset: { name: 'raw', mountPath: '/data' },
        processor: { script: { source: 'ls' } },
        runAfter: { kind: 'DataLoad', name: 'a' },
      },
    });
    assert.equal(code, 422);
    assert.match(
      String(body.message),
      /DataProcess b, which runs after DataLoad a, which runs after DataProcess b$/,
    );
    // One that is there for another reason does not keep others from being changed.
    const suspend = { spec: { suspend: true } };
    assert.equal((await api.send('PATCH', `${LOADS}/a`, suspend, MERGE)).code, 200);
  });

  test('through an operation whose nodes it follows', async () => {
    await using api = await startServer();
    const first = { kind: 'DataLoad', name: 'first' };
    assert.equal(
      (await api.send('POST', LOADS, load('b', { runAfter: { kind: 'DataLoad', name: 'a' } })))
        .code,
      201,
    );
    const following = (policy: string) =>
      load('a', {
        runAfter: {
          ...first,
          affinityStrategy: { policy, dependOn: { kind: 'DataLoad', name: 'b' } },
        },
      });
    const { code, body } = await api.send('POST', LOADS, following('Require'));
    assert.equal(code, 422);
    assert.match(
      String(body.message),
      /spec\.runAfter\.affinityStrategy\.dependOn\.name: Invalid value: "b": would make it wait/,
    );
    // Without a policy nothing is followed.
    assert.equal((await api.send('POST', LOADS, following(''))).code, 201);
  });

  test('what is no list and no reference is an error like any other', async () => {
    await using api = await startServer();
    for (const spec of [
      { runAfterAll: 'x' },
      { runAfterAll: [5] },
      { runAfter: 5 },
      { runAfterAll: [{ kind: 'DataLoad', name: 'a', affinityStrategy: 7 }] },
    ]) {
      const { code } = await api.send('POST', LOADS, load('bad', spec as never));
      assert.ok(code === 400 || code === 422, `${JSON.stringify(spec)}: ${code}`);
    }
  });

  test('as a webhook, which asks the API server', async () => {
    const clock = new VirtualClock();
    const stored = new Map([['a', load('a', after('b'))]]);
    const review = async (object: JsonObject, old: JsonObject | null) => {
      const request = {
        uid: 'u',
        kind: { group: 'data.fluid.io', version: 'v1alpha1', kind: 'DataLoad' },
        namespace: 'default',
        userInfo: { username: 'somebody' },
        object,
        oldObject: old,
      };
      const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
      const answer = await answerReview('validate', body as never, {
        clock,
        isAllowed: async () => true,
        operationsBefore:
          async () =>
          ({ name }) =>
            stored.get(name) as never,
      });
      return JSON.stringify(answer?.response);
    };
    assert.match(
      await review(load('b', after('a')), null),
      /DataLoad b, which runs after DataLoad a/,
    );
    assert.match(await review(load('b', after('c')), null), /"allowed":true/);
    assert.match(await review(load('b', after('a')), load('b', after('a'))), /"allowed":true/);
  });
});

test('who refers to an operation of another namespace must be allowed to read it', async () => {
  const users = ['writer', 'reader'];
  await using server = await startEmbeddedServer({
    clock: realClock,
    access: 'rbac',
    staticTokens: users.map((name) => ({
      token: `token-of-${name}`,
      clusters: ['root'],
      user: { name, groups: [] },
    })),
  });
  const { client, pki, url } = server;
  const rule = { verbs: ['*'], apiGroups: ['data.fluid.io'], resources: ['*'] };
  await client.create(ClusterRole, { metadata: { name: 'flows' }, rules: [rule] });
  const grant = async (user: string, namespace: string) => {
    const subject = { kind: 'User', apiGroup: ClusterRole.group, name: user };
    const roleRef = { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'flows' };
    const metadata = { name: user, namespace };
    await client.create(RoleBinding, { metadata, roleRef, subjects: [subject] });
  };
  await client.create(Namespace, { metadata: { name: 'secret' } });
  await grant('writer', 'default');
  await grant('reader', 'default');
  await grant('reader', 'secret');
  const as = (who: string) =>
    createHttpClient(
      {
        server: url,
        caBundle: pki?.authority,
        credentials: async () => ({ authorization: `Bearer token-of-${who}` }),
      },
      { clock: realClock },
    );
  await using writer = as('writer');
  await using reader = as('reader');
  const there = { kind: 'DataLoad', name: 'theirs', namespace: 'secret' };
  const forms: readonly JsonObject[] = [
    { runAfter: there },
    { runAfterAll: [{ kind: 'DataLoad', name: 'mine' }, there] },
    { runAfter: { kind: 'DataLoad', name: 'mine', affinityStrategy: { dependOn: there } } },
  ];
  for (const [at, spec] of forms.entries()) {
    // It makes no difference whether it exists.
    await assert.rejects(
      writer.create(DataLoad, load(`w${at}`, spec) as never),
      /user "writer" cannot get the DataLoad "theirs" in the namespace "secret"/,
    );
    const made = await reader.create(DataLoad, load(`r${at}`, spec) as never);
    const { name } = made.metadata;
    const ref = { namespace: 'default', name };
    const merge = (body: object) => ({ type: 'merge', body }) as const;
    await writer.patch(DataLoad, ref, merge({ spec: { suspend: true } }));
    const other = { runAfter: { ...there, name: 'other' } };
    await assert.rejects(writer.patch(DataLoad, ref, merge({ spec: other })), /cannot get/);
  }
  await writer.create(DataLoad, load('own', after('mine')) as never);
});

suite('what users of Fluid write', () => {
  const process = (spec: JsonObject) => ({
    kind: 'DataProcess',
    spec: { dataset: { name: 'demo', mountPath: '/data' }, ...spec },
  });
  const script = { image: 'alpine', imageTag: '3', command: ['sh'], source: 'du -sh /data' };
  const migrate = (from: JsonObject, more: JsonObject = {}) => ({
    kind: 'DataMigrate',
    spec: { from, to: { dataset: { name: 'demo', path: '/dir1' } }, ...more },
  });
  const pvc = { externalStorage: { uri: 'pvc://storage/sub' } };
  const step = (kind: string, name: string) => ({ runAfter: { kind, name } });
  const cases: readonly (readonly [
    string,
    JsonObject & { kind: string; spec: JsonObject },
    RegExp?,
  ])[] = [
    ['load-a', { kind: 'DataLoad', spec: { dataset: { name: 'demo' }, loadMetadata: true } }],
    [
      'load-two',
      {
        kind: 'DataLoad',
        spec: {
          dataset: { name: 'demo' },
          target: [
            { path: '/a', replicas: 1 },
            { path: '/b', replicas: 2 },
          ],
        },
      },
    ],
    [
      'cron',
      {
        kind: 'DataLoad',
        spec: { dataset: { name: 'demo' }, policy: 'Cron', schedule: '* * * * *' },
      },
    ],
    [
      'ttl',
      { kind: 'DataLoad', spec: { dataset: { name: 'demo' }, ttlSecondsAfterFinished: 300 } },
    ],
    ['from-claim', migrate(pvc)],
    [
      'from-store',
      migrate(
        { externalStorage: { uri: 'minio://m/b' } },
        { options: { exclude: 'x' }, policy: 'Cron', schedule: '*/10 * * * *' },
      ),
    ],
    [
      'backup-local',
      {
        kind: 'DataBackup',
        spec: {
          dataset: 'demo',
          backupPath: 'local:///data/s/',
          runAs: { uid: 1201, gid: 1201, user: 'u', group: 'g' },
        },
      },
    ],
    ['script', process({ processor: { script }, ...step('DataLoad', 'load-a') })],
    ['not-mounted', process({ dataset: { name: 'demo', mountPath: '' }, processor: { script } })],
    ['on-event', process({ processor: { script }, policy: 'OnEvent' })],
    ['after-nobody', process({ processor: { script }, ...step('DataBackup', 'no-such') })],
    // The same name as one of another kind, which crashes Fluid.
    ['load-a', process({ processor: { script }, ...step('DataLoad', 'load-a') })],
    ['loadA', { kind: 'DataLoad', spec: { dataset: { name: 'demo' } } }, /lower case/],
    [
      'empty',
      { kind: 'DataProcess', spec: {} },
      /spec\.dataset: Required.*spec\.processor: Required/s,
    ],
    [
      'both',
      process({
        processor: { script, job: { podSpec: { containers: [{ name: 'c', image: 'i' }] } } },
      }),
      /exclude each other/,
    ],
    ['neither', process({ processor: {} }), /nothing to run/],
    [
      'same-path',
      process({
        processor: { script: { ...script, volumeMounts: [{ name: 'v', mountPath: '/data/' }] } },
      }),
      /is where the dataset is mounted/,
    ],
    [
      'elsewhere',
      process({
        dataset: { name: 'demo', namespace: 'other', mountPath: '/d' },
        processor: { script },
      }),
      /must be the namespace of the operation/,
    ],
    ['no-key', migrate(pvc, { parallelism: 2 }), /sshSecretName/],
    [
      'bad-cron',
      { kind: 'DataLoad', spec: { dataset: { name: 'demo' }, policy: 'Cron' } },
      /needs a schedule/,
    ],
    [
      'itself',
      process({ processor: { script }, ...step('DataProcess', 'itself') }),
      /cannot wait for itself/,
    ],
    ['to-bucket', { kind: 'DataBackup', spec: { dataset: 'demo', backupPath: 's3://b/' } }],
    [
      'to-nowhere',
      { kind: 'DataBackup', spec: { dataset: 'demo', backupPath: 'ftp://b/' } },
      /must be local/,
    ],
    ['a-job', process({ processor: { script }, ...step('Job', 'j') }), /Unsupported value: "Job"/],
  ];

  test('is taken, or refused with the reason', async () => {
    await using api = await startServer();
    for (const [name, { kind, spec }, refusal] of cases) {
      const path = LOADS.replace(
        'dataloads',
        kind === 'DataProcess' ? 'dataprocesses' : `${kind.toLowerCase()}s`,
      );
      const { code, body } = await api.send('POST', path, { ...load(name), kind, spec });
      assert.equal(
        code,
        refusal === undefined ? 201 : 422,
        `${name}: ${JSON.stringify(body.message)}`,
      );
      if (refusal !== undefined) assert.match(String(body.message), refusal, name);
    }
  });
});
