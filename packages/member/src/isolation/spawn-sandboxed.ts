import { spawnSync } from 'node:child_process';
import { open, realpath } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { startGroup } from '../processes/process-group.ts';
import type { RunningProcess, Spawn, SpawnOrder } from '../processes/spawn.ts';
import { ENTER_ARGUMENTS, type EnterOrder, STARTED } from './enter-sandbox.ts';
import { openBinds } from './open-binds.ts';
import { machineSteps, type Program, SANDBOX_NODE, type Step } from './sandbox-layout.ts';
import { SANDBOX_SCRIPT } from './sandbox-script.ts';
import { SYSTEM_PATH } from './system-tools.ts';

const SCRIPT_ENVIRONMENT = { PATH: SYSTEM_PATH };
const NAMESPACES = ['--mount', '--pid', '--ipc', '--fork', '--kill-child=KILL'];
const CHANNEL = 3;

const RESET_SIGNALS = ['/usr/bin/env', '--default-signal=PIPE,XFSZ'];

/** Older versions of this program lack the option, and other systems have another program of that name. */
const resetSignals = (): readonly string[] => {
  const [env = '', ...args] = RESET_SIGNALS;
  const { status } = spawnSync(env, [...args, 'true'], { env: SCRIPT_ENVIRONMENT });
  return status === 0 ? RESET_SIGNALS : [];
};

/** Reads the first line that the process writes; all output if it ends before. */
const answerOf = async (channel: Duplex): Promise<string> => {
  let errorText = '';
  for await (const chunk of channel) {
    errorText += chunk;
    if (errorText.includes('\n')) break;
  }
  return errorText.trim();
};

const failureOf = async (running: RunningProcess, answer: string): Promise<Error> => {
  running.signal('SIGKILL');
  if (answer !== '') return new Error(answer);
  const stderrText = (await text(running.stderr)).trim();
  return new Error(
    `the sandbox cannot be made: ${stderrText === '' ? 'it says nothing' : stderrText}`,
  );
};

const scriptArguments = (
  { user }: SpawnOrder,
  mountPoint: string,
  steps: readonly Step[],
): readonly string[] => {
  const isOther = user !== undefined;
  const own = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const [asUser, asGroup] = isOther ? [user, user] : own;
  return [
    ...(isOther ? [] : ['--user', '--map-root-user']),
    ...NAMESPACES,
    '--',
    'sh',
    '-c',
    SANDBOX_SCRIPT,
    'perigee-sandbox',
    mountPoint,
    String(asUser),
    String(asGroup),
    isOther ? 'set' : 'map',
    ...steps.flat(),
    '--',
    SANDBOX_NODE,
    ...ENTER_ARGUMENTS,
  ];
};

/**
 * Starts processes in Linux namespaces, with the programs of util-linux. They see the system, their mounts, and
 * themselves.
 */
export const sandboxedSpawn = (
  hiddenPaths: readonly string[],
  programs: readonly Program[] = [],
): Spawn => {
  const machine = machineSteps(hiddenPaths, programs);
  const reset = resetSignals();
  return async (order) => {
    const { user, sandbox } = order;
    if (sandbox === undefined) throw new RangeError('a process in a sandbox must be told which');
    // Kept open until the process has begun, so that the mounts are those that were checked.
    await using binds = await openBinds(sandbox.binds, user, machine.again);
    const mountPoint = await realpath(sandbox.mountPoint);
    const args = scriptArguments(order, mountPoint, [...machine.all, ...binds.steps]);
    await using end = await open(order.endFile ?? '/dev/null', 'w', 0o600);
    const { child, running } = await startGroup('unshare', args, {
      cwd: '/',
      env: SCRIPT_ENVIRONMENT,
      // Descriptor 3 is the channel, 4 takes the end.
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', end.fd],
    });
    const channel = child.stdio[CHANNEL] as Duplex;
    // A sandbox that failed to start closes the channel; its exit code reports the error.
    channel.on('error', () => {});
    const { command, env, folder, nice } = order;
    const enterOrder: EnterOrder = {
      ...{ command, args: order.args, env, folder, nice },
      resetSignals: reset,
    };
    channel.end(JSON.stringify(enterOrder));
    const answer = await answerOf(channel).catch(() => '');
    channel.destroy();
    if (answer !== STARTED) throw await failureOf(running, answer);
    return running;
  };
};
