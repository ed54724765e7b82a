import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod } from '@perigee/kubernetes/core/pod';
import { detectIsolation } from '../../src/isolation/detect-isolation.ts';
import { container, type Spec } from './process-pods.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const isolation = await detectIsolation();
const skip = isolation.kind !== 'namespaces' && (isolation.reason ?? 'no namespaces');

const claimed = (claimName: string, more: object = {}) => ({
  name: claimName,
  persistentVolumeClaim: { claimName, ...more },
});

const shell = (script: string, volumeMounts: readonly object[]) =>
  container(['/bin/sh', '-c', script], { volumeMounts } as never);

describe('a volume of a process', { skip }, () => {
  let cluster: RealCluster;
  let host: string;
  before(async () => {
    host = mkdtempSync(join(tmpdir(), 'perigee-host-'));
    for (const name of ['shared', 'private']) mkdirSync(join(host, name), { mode: 0o777 });
    writeFileSync(join(host, 'shared', 'greeting'), 'hello of the host');
    writeFileSync(join(host, 'private', 'key'), 'the key of the operator');
    symlinkSync('../private', join(host, 'shared', 'way-out'));
    cluster = await startRealCluster(isolation, { hostPaths: [join(host, 'shared')] });
    await cluster.claim('data');
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(host, { recursive: true, force: true });
  });

  const run = (
    name: string,
    script: string,
    mounts: readonly object[],
    volumes: readonly object[],
  ) => cluster.run(name, { containers: [shell(script, mounts)], volumes } as Spec);
  const remove = (name: string) => cluster.client.delete(Pod, { namespace: 'default', name });

  it('is at the path that the pod names, also in folders of the system', async () => {
    await cluster.client.create(ConfigMap, {
      metadata: { namespace: 'default', name: 'scripts' },
      data: { 'run.sh': 'echo it ran' },
    } as never);
    const { said, pod } = await run(
      'paths',
      `set -e
      mkdir /data/in && echo kept > /data/in/file
      sh /scripts/run.sh
      echo settings > /etc/app/deep/settings; cat /etc/app/deep/settings
      grep -c root: /etc/passwd
      cat /data/nested/deep/here 2>/dev/null || echo nothing nested yet
      echo inner > /data/nested/deep/here
      cat "$PERIGEE_ROOT/data/in/file"; pwd
      ls /perigee; touch /there 2>/dev/null || echo the root is read-only`,
      [
        { name: 'data', mountPath: '/data' },
        { name: 'scratch', mountPath: '/etc/app/deep' },
        { name: 'inner', mountPath: '/data/nested/deep' },
        { name: 'scripts', mountPath: '/scripts/run.sh', subPath: 'run.sh' },
      ],
      [
        claimed('data'),
        { name: 'scratch', emptyDir: {} },
        { name: 'inner', emptyDir: {} },
        { name: 'scripts', configMap: { name: 'scripts' } },
      ],
    );
    assert.equal(pod.status?.phase, 'Succeeded', JSON.stringify(pod.status));
    const lines = ['it ran', 'settings', '1', 'nothing nested yet', 'kept', '/perigee/root'];
    assert.deepEqual(said.trim().split('\n'), [...lines, 'bin', 'root', 'the root is read-only']);
  });

  it('of a claim outlives its pods and the member', async () => {
    await remove('paths');
    await cluster.restartMember();
    const { said } = await run(
      'later',
      'cat /input/file; ls -A /whole /whole/nested/deep; echo more >> /input/file; cat /input/file',
      [
        { name: 'data', mountPath: '/input', subPath: 'in' },
        { name: 'data', mountPath: '/whole' },
      ],
      [claimed('data')],
    );
    assert.equal(said, 'kept\n/whole:\nin\nnested\n\n/whole/nested/deep:\nkept\nmore\n');
  });

  it('can be read-only, by its mount and by its claim', async () => {
    const script = 'cat /in/in/file; touch /in/x || echo first; touch /out/x || echo second';
    const { said } = await run(
      'readers',
      `exec 2>/dev/null; ${script}; ls -A /in`,
      [
        { name: 'data', mountPath: '/in', readOnly: true },
        { name: 'again', mountPath: '/out' },
      ],
      [claimed('data'), { ...claimed('data', { readOnly: true }), name: 'again' }],
    );
    assert.equal(said, 'kept\nmore\nfirst\nsecond\nin\nnested\n');
  });

  it('is not left through a link, or through the path in it', async () => {
    const links = [
      'ln -s / /data/to-root',
      'ln -s /etc/passwd /data/to-file',
      'mkdir /data/a && ln -s ../../.. /data/a/up',
    ];
    await run('linker', links.join(';'), [{ name: 'data', mountPath: '/data' }], [claimed('data')]);
    for (const [at, subPath] of ['to-root', 'to-file', 'a/up', 'to-root/etc'].entries()) {
      const mounts = [{ name: 'data', mountPath: '/sub', subPath }];
      const { pod } = await run(`escape-${at}`, 'cat /sub; ls /sub', mounts, [claimed('data')]);
      const [{ state } = {}] = pod.status?.containerStatuses ?? [];
      assert.equal(state?.terminated?.reason, 'StartError', subPath);
      assert.match(state?.terminated?.message ?? '', /links are not followed/);
    }
    // A link at the place of a mount inside of the volume does not move that mount.
    const { pod } = await run(
      'inside',
      'true',
      [
        { name: 'data', mountPath: '/data' },
        { name: 'scratch', mountPath: '/data/to-root/tmp/perigee-escaped' },
      ],
      [claimed('data'), { name: 'scratch', emptyDir: {} }],
    );
    assert.match(
      pod.status?.containerStatuses?.[0]?.state?.terminated?.message ?? '',
      /links are not/,
    );
    assert.equal(existsSync('/tmp/perigee-escaped'), false);
  });

  it('of this machine is one that the operator lists', async () => {
    const at = (path: string, more: object = {}) => [{ name: 'host', hostPath: { path, ...more } }];
    const mounts = [{ name: 'host', mountPath: '/host' }];
    const fine = await run('host', 'cat /host/greeting', mounts, at(join(host, 'shared')));
    assert.equal(fine.said, 'hello of the host');
    const made = { type: 'DirectoryOrCreate' };
    await run('maker', 'echo 1 > /host/one', mounts, at(join(host, 'shared/new/er'), made));
    assert.equal(existsSync(join(host, 'shared/new/er/one')), true);
    const gone = await run('gone', 'true', mounts, at(join(host, 'shared/nowhere')));
    assert.match(gone.pod.status?.message ?? '', /nowhere is not there/);
    const bad = [
      'private',
      'shared/../private',
      'shared/way-out',
      'shared/way-out/key',
      '..',
      '/etc',
    ];
    for (const [number, path] of bad.entries()) {
      const volumes = at(path.startsWith('/') ? path : join(host, path), made);
      const { pod, said } = await run(`host-${number}`, 'cat /host/key', mounts, volumes);
      assert.equal(said, '', path);
      assert.equal(pod.status?.reason, 'CreateContainerConfigError', path);
      assert.match(
        pod.status?.message ?? '',
        /in no folder that the operator of this member allows/,
      );
    }
  });

  it('cannot be in the place of what the process itself needs', async () => {
    for (const [number, mountPath] of [
      '/',
      '/proc',
      '/proc/self',
      '/dev',
      '/perigee/bin',
    ].entries()) {
      const volumes = [{ name: 'scratch', emptyDir: {} }];
      const { pod } = await run(`own-${number}`, 'true', [{ name: 'scratch', mountPath }], volumes);
      assert.match(pod.status?.message ?? '', /cannot be mounted at/, mountPath);
    }
    // Tools that have privileges are not taken from a volume, wherever that is.
    await cluster.claim('tools');
    const put =
      'for tool in setpriv unshare node; do echo "#!/bin/sh" > /t/$tool; chmod +x /t/$tool; done';
    await run('forger', put, [{ name: 'tools', mountPath: '/t' }], [claimed('tools')]);
    const mounts = ['/usr/sbin', '/etc'].map((mountPath) => ({ name: 'tools', mountPath }));
    const { said } = await run('forged', 'id -u; ls /etc', mounts, [claimed('tools')]);
    const [user = '', ...files] = said.trim().split('\n');
    assert.notEqual(user, '0');
    assert.deepEqual(files, ['node', 'setpriv', 'unshare']);
  });

  it('may hold what a container says when it ends', async () => {
    const long = 'x'.repeat(5000);
    const cases: readonly (readonly [string, string, object?])[] = [
      ['echo -n done > /dev/termination-log', 'done'],
      [`echo -n ${long}end > /dev/termination-log; exit 3`, `${long}end`.slice(-4096)],
      ['echo -n there > /why/not', 'there', { terminationMessagePath: '/why/not' }],
      ['echo -n mine > /tmp/why', 'mine', { terminationMessagePath: '/tmp/why' }],
      ['echo -n ours > /data/why', 'ours', { terminationMessagePath: '/data/why' }],
      ['true', '', { terminationMessagePath: '/data/why' }],
      ['ln -s /etc/passwd /tmp/why', '', { terminationMessagePath: '/tmp/why' }],
      ['mkfifo /tmp/why', '', { terminationMessagePath: '/tmp/why' }],
      ['rm /dev/termination-log; echo out; exit 1', ''],
      ['echo out; exit 1', 'out\n', { terminationMessagePolicy: 'FallbackToLogsOnError' }],
      ['echo out', '', { terminationMessagePolicy: 'FallbackToLogsOnError' }],
      [
        'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); echo $i; done; exit 1',
        Array.from({ length: 80 }, (_, at) => `${at + 21}\n`).join(''),
        { terminationMessagePolicy: 'FallbackToLogsOnError' },
      ],
    ];
    await Promise.all(
      cases.map(async ([script, expected, fields = {}], at) => {
        const main = { ...shell(script, [{ name: 'data', mountPath: '/data' }]), ...fields };
        // The two that look at one file come after each other.
        const name = `says-${at}`;
        if (at === 5) await cluster.until('says-4', ({ status }) => status?.phase === 'Succeeded');
        const { pod } = await cluster.run(name, {
          containers: [main],
          volumes: [claimed('data')],
        } as Spec);
        const { message = '' } = pod.status?.containerStatuses?.[0]?.state?.terminated ?? {};
        assert.equal(message, expected, script);
      }),
    );
  });

  it('of a claim goes with the claim, when the last pod has ended', async () => {
    const volumes = join(cluster.folder, 'volumes');
    await cluster.claim('short');
    const mounts = [{ name: 'short', mountPath: '/short' }];
    const spec = {
      containers: [shell('echo 1 > /short/one; sleep 600', mounts)],
      volumes: [claimed('short')],
    };
    await cluster.start('user', { ...spec, terminationGracePeriodSeconds: 0 } as Spec);
    await cluster.until('user', ({ status }) => status?.phase === 'Running');
    const ref = { namespace: 'default', name: 'short' };
    const { spec: bound } = await cluster.client.get(PersistentVolumeClaim, ref);
    const folder = join(volumes, bound?.volumeName ?? '');
    await cluster.client.delete(PersistentVolumeClaim, ref);
    assert.equal(existsSync(folder), true);
    await remove('user');
    while (existsSync(folder)) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(readdirSync(volumes).length, 2);
  });
});

describe('a claim where there are no namespaces', () => {
  it('is refused with the reason', async () => {
    await using cluster = await startRealCluster({
      kind: 'none',
      reason: 'only Linux has namespaces',
    });
    await cluster.claim('data');
    const { pod } = await cluster.run('p', {
      containers: [shell('true', [{ name: 'data', mountPath: '/data' }])],
      volumes: [claimed('data')],
    } as Spec);
    assert.equal(pod.status?.phase, 'Failed');
    assert.match(pod.status?.message ?? '', /is a claim.*only Linux has namespaces/);
    const says = 'echo -n by its root > "$PERIGEE_ROOT/dev/termination-log"';
    const { pod: other } = await cluster.run('says', { containers: [shell(says, [])] });
    const [{ state } = {}] = other.status?.containerStatuses ?? [];
    assert.equal(state?.terminated?.message, 'by its root');
  });
});
