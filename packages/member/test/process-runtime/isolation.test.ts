import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeIsolation, type Isolation, podUser } from '../../src/isolation/isolation.ts';
import { mountFlags } from '../../src/isolation/mount-flags.ts';
import { seenPath } from '../../src/isolation/sandbox-layout.ts';

const FIXTURE = fileURLToPath(new URL('spying-pod.ts', import.meta.url));
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

interface Findings {
  readonly variables: readonly string[];
  readonly secret: string;
  readonly environments: string;
  readonly parent: string;
  readonly operator: string;
  readonly kill: string | true;
  readonly overwrite: string;
  readonly files: readonly string[];
  readonly user: number;
  readonly groups: readonly number[];
  readonly noNewPrivileges: boolean;
  readonly capabilities: string;
  readonly mounted: string;
  readonly working: string;
}

interface Run {
  readonly isolation: Isolation;
  readonly found: Findings;
}

/** Secrets of the operator that a pod can read: one in a variable and one in a file. */
const spy = async (kind: string, operator?: number): Promise<Run> => {
  const child = spawn(process.execPath, [FIXTURE, kind], {
    env: { PATH: process.env.PATH, OPERATOR_SECRET: 'of-the-operator', HOME: '/nowhere' },
    ...(operator === undefined ? {} : { uid: operator, gid: operator }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.notEqual(stdout, '', stderr);
  const { isolation, said, status } = JSON.parse(stdout);
  assert.match(said, /^\{/, JSON.stringify({ said, status, stderr }));
  return { isolation, found: JSON.parse(said) };
};

/** Holds on every machine. */
const checkFindings = ({ variables, files, mounted, working }: Findings): void => {
  assert.deepEqual(
    variables,
    ['GIVEN', 'HOME', 'HOSTNAME', 'PATH', 'PERIGEE_POD_UID', 'PERIGEE_ROOT'].toSorted(),
  );
  assert.equal(mounted, 'p');
  assert.equal(working, '/here');
  const others = files.filter(
    (file) => !/^(\/dev\/null|(pipe|socket|anon_inode):.*|\/proc\/.*)$/.test(file),
  );
  assert.deepEqual(
    others.filter((file) => file !== 'ENOENT'),
    [],
  );
};

const checkHidden = (found: Findings): void => {
  for (const environment of [found.environments, found.parent, found.operator]) {
    assert.doesNotMatch(environment, /OPERATOR_SECRET|of-the-operator/);
  }
  assert.match(found.secret, /^(ENOENT|EACCES)$/);
  assert.match(String(found.kill), /^(ESRCH|EPERM)$/);
  assert.equal(found.noNewPrivileges, true);
  assert.equal(BigInt(`0x${found.capabilities}`), 0n);
};

/** Not every checkout can be read by others. */
const canBe = (uid: number): boolean =>
  isRoot &&
  spawnSync(process.execPath, ['--check', FIXTURE], { uid, gid: uid, env: {} }).status === 0;

describe('a pod that spies', () => {
  it('finds nothing of its operator, as well as this machine can prevent it', async (t) => {
    const { isolation, found } = await spy('detected');
    checkFindings(found);
    t.diagnostic(describeIsolation(isolation));
    if (isolation.kind === 'none') return;
    checkHidden(found);
    if (isRoot) assert.notEqual(found.user, 0);
    if (isolation.kind === 'namespaces') assert.match(found.overwrite, /^(EROFS|EACCES)$/);
  });

  it('finds nothing of an operator who is an ordinary user', {
    skip: !canBe(NOBODY),
  }, async (t) => {
    const { isolation, found } = await spy('detected', NOBODY);
    checkFindings(found);
    t.diagnostic(describeIsolation(isolation));
    if (isolation.kind === 'namespaces') {
      checkHidden(found);
      assert.equal(found.user, NOBODY);
    }
  });

  it('runs as another user, where there are no namespaces', { skip: !isRoot }, async () => {
    const { found } = await spy('user');
    checkFindings(found);
    checkHidden(found);
    assert.notEqual(found.user, 0);
    assert.deepEqual(found.groups, [found.user]);
  });
});

describe('the isolation of processes', () => {
  it('is told with what it does not prevent, and why it is not more', () => {
    const reason = 'only Linux has namespaces';
    const told = describeIsolation({ kind: 'none', reason });
    assert.match(told, /none: they run as you, and can read your files.*only Linux has namespaces/);
    const users = { first: 1000, count: 10 };
    assert.match(describeIsolation({ kind: 'user', users }), /other users.*share the network/);
    assert.match(describeIsolation({ kind: 'namespaces', users }), /nothing of yours, as users/);
  });

  it('tells a process no folder of the operator by its PATH', () => {
    const path = '/home/me/bin:/usr/local/bin:/usr/bin:/bin:/usrlocal:relative';
    assert.equal(seenPath(path), '/usr/local/bin:/usr/bin:/bin:/perigee/bin');
  });

  it('gives a pod the same user again', () => {
    const isolation: Isolation = { kind: 'user', users: { first: 1000, count: 10 } };
    const user = podUser(isolation, 'a-uid') ?? 0;
    assert.equal(podUser(isolation, 'a-uid'), user);
    assert.ok(user >= 1000 && user < 1010);
    assert.equal(podUser({ kind: 'none' }, 'a-uid'), undefined);
  });

  it('keeps the flags of the mount that a folder is on', () => {
    const mountinfo = [
      '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
      '30 22 254:1 / /opt rw,nosuid,nodev,noatime - ext4 /dev/vdb rw',
      '31 22 254:2 / /opt/a\\040b rw,noexec - ext4 /dev/vdc rw',
    ].join('\n');
    assert.deepEqual(mountFlags(mountinfo, '/usr/bin'), ['relatime']);
    assert.deepEqual(mountFlags(mountinfo, '/opt/x'), ['nosuid', 'nodev', 'noatime']);
    assert.deepEqual(mountFlags(mountinfo, '/opt/a b/c'), ['noexec']);
    assert.deepEqual(mountFlags(mountinfo, '/optional'), ['relatime']);
  });
});
