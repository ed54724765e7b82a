import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { kubectlBinary } from '../../../../test/clients/client-binaries.ts';
import { writeAdminKubeconfig } from '../../src/pki/admin-kubeconfig.ts';
import { startWithMembers } from './members-fixture.ts';

const { path: KUBECTL, skip } = kubectlBinary();
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'perigee-admin-'));
after(() => rmSync(folder, { recursive: true }));

test('kubectl works in all clusters with the kubeconfig of the administrator', {
  skip,
}, async () => {
  await using api = await startWithMembers();
  const kubeconfig = join(folder, 'admin.conf');
  writeAdminKubeconfig(kubeconfig, { url: api.url, pki: api.pki, members: ['m1', 'm2'] });
  const kubectl = async (...args: string[]): Promise<string> => {
    const connection = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(folder, 'cache')}`];
    return (await run(KUBECTL, [...connection, ...args])).stdout;
  };
  assert.match(await kubectl('auth', 'whoami'), /Username +perigee-admin\n/);
  assert.equal(await kubectl('auth', 'can-i', '*', '*'), 'yes\n');
  await kubectl('--context=m1', 'create', 'serviceaccount', 'robot');
  const token = (await kubectl('--context=m1', 'create', 'token', 'robot')).trim();
  const as = ['--kubeconfig=/dev/null', `--token=${token}`, '--insecure-skip-tls-verify'];
  const member = [...as, `--server=${api.url}/clusters/m1`];
  const { stdout } = await run(KUBECTL, [
    ...member,
    'auth',
    'whoami',
    '-o=jsonpath={.status.userInfo.username}',
  ]);
  assert.equal(stdout, 'system:serviceaccount:default:robot');
  await assert.rejects(
    run(KUBECTL, [...member, 'get', 'secrets']),
    /Error from server \(Forbidden\): secrets is forbidden: User "system:serviceaccount:default:robot" cannot list/,
  );
  await assert.rejects(
    run(KUBECTL, [...as, `--server=${api.url}`, 'get', 'secrets']),
    /You must be logged in to the server/,
  );
  const asRobot = ['--context=m1', '--as=system:serviceaccount:default:robot'];
  await assert.rejects(kubectl(...asRobot, 'auth', 'can-i', 'list', 'secrets'), { stdout: 'no\n' });
  assert.doesNotMatch(await kubectl('--context=m2', 'get', 'serviceaccounts'), /robot/);
});
