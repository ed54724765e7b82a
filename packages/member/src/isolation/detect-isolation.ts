import { spawnSync } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { present } from '@perigee/schema/present';
import { type Isolation, type PodUsers, podUser } from './isolation.ts';
import { POD_FILES, PROGRAMS } from './sandbox-layout.ts';
import { sandboxedSpawn } from './spawn-sandboxed.ts';
import { systemTool } from './system-tools.ts';

const TOOLS = ['unshare', 'mount', 'umount', 'pivot_root', 'setpriv', 'sh'];

/** Above the user ids that machines use. Some containers allow fewer, and there all pods share one. */
const MANY: PodUsers = { first: 0x7000_0000, count: 0x100_0000 };
const NOBODY: PodUsers = { first: 65_534, count: 1 };

const usersOf = (): PodUsers | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  return [MANY, NOBODY].find(({ first, count }) =>
    [first, first + count - 1].every((uid) => {
      const { status } = spawnSync('/bin/sh', ['-c', ':'], { uid, gid: uid, cwd: '/' });
      return status === 0;
    }),
  );
};

const PROBE_UID = 'probe';
const PROBE = `process.exit(require('node:fs').existsSync(process.argv[1]) ? 3 : 0)`;

/** Tries a sandbox; returns the error, if any. */
const problemWithSandbox = async (users: PodUsers | undefined): Promise<string | undefined> => {
  const missingTools = TOOLS.filter((tool) => systemTool(tool) === undefined);
  if (missingTools.length > 0) return `${missingTools.join(', ')} of util-linux is not installed`;
  const folder = await mkdtemp(join(tmpdir(), 'perigee-probe-'));
  try {
    const at = (name: string): string => join(folder, name);
    for (const name of ['root', 'tmp', 'view']) await mkdir(at(name));
    await writeFile(at('secret'), 'readable');
    const user = podUser({ kind: 'namespaces', ...present({ users }) }, PROBE_UID);
    if (user !== undefined) await chown(at('root'), user, user);
    const trialProcess = await sandboxedSpawn([])({
      command: 'node',
      args: ['--eval', PROBE, at('secret')],
      env: { PATH: PROGRAMS },
      folder: `${POD_FILES}/root`,
      nice: 0,
      ...present({ user }),
      sandbox: {
        mountPoint: at('view'),
        binds: [
          { from: at('root'), to: `${POD_FILES}/root` },
          { from: at('tmp'), to: '/tmp' },
        ],
      },
    });
    const [output, { exitCode }] = await Promise.all([
      text(trialProcess.stderr),
      trialProcess.exited,
    ]);
    return exitCode === 0 ? undefined : `a process in a sandbox fails: ${output.trim()}`;
  } catch (error) {
    return (error as Error).message.split('\n')[0];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Detects by trial how processes of pods can be isolated on this machine. */
export const detectIsolation = async (): Promise<Isolation> => {
  const users = usersOf();
  const problem =
    process.platform === 'linux' ? await problemWithSandbox(users) : 'only Linux has namespaces';
  if (problem === undefined) return { kind: 'namespaces', ...present({ users }) };
  return users === undefined
    ? { kind: 'none', reason: problem }
    : { kind: 'user', users, reason: problem };
};
