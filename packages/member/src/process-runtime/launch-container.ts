import type { Clock } from '@perigee/kube/clock/clock';
import { present } from '@perigee/schema/present';
import { PodConfigError } from '../errors.ts';
import type { ProcessContainer } from '../processes/process-spec.ts';
import type { ProcessExit, RunningProcess, SpawnOrder } from '../processes/spawn.ts';
import { containerEnvironment, type Environment } from './container-environment.ts';
import type { ContainerLog, OutputStream } from './container-log.ts';
import { expandVariables } from './expand-variables.ts';
import { POD_UID } from './leftovers.ts';
import type { PodVolumes, VolumesWorld } from './pod-volumes.ts';
import type { TerminationFile } from './termination-message.ts';
import { workingFolder } from './working-folder.ts';

const NO_COMMAND =
  'images are not run here, and nothing but an image says what this container does: give it a command';
/** Grace period for processes that left the group and hold the output open. */
const LAST_WORDS_MS = 1000;
const START_ERROR = 128;

export interface LaunchPlace extends VolumesWorld {
  readonly volumes: PodVolumes;
  readonly path: string;
  readonly nice: number;
}

/** The default command is in the image, and images are not run. */
export const requireCommand = ({ name, command = [] }: ProcessContainer): readonly string[] => {
  if (command.length > 0) return command;
  throw new PodConfigError(`container "${name}": ${NO_COMMAND}`, { isLasting: true });
};

const fixedVariables = ({ pod, folder }: LaunchPlace): Environment => ({
  PERIGEE_ROOT: folder.viewPath(folder.root),
  [POD_UID]: pod.metadata.uid,
});

const usualVariables = ({ pod, folder, path }: LaunchPlace): Environment => ({
  PATH: path,
  HOME: folder.viewPath(folder.root),
  HOSTNAME: pod.spec.hostname ?? pod.metadata.name,
});

/** The order to start a container; no shell is involved. */
export const orderFor = async (
  container: ProcessContainer,
  place: LaunchPlace,
  message: TerminationFile,
): Promise<SpawnOrder> => {
  const command = requireCommand(container);
  const { folder: pod, nice, volumes } = place;
  const { user } = pod;
  const folder = workingFolder(pod, container);
  const sources = { ...place, fixed: fixedVariables(place), usual: usualVariables(place) };
  const env = await containerEnvironment(container, sources);
  const [first = '', ...args] = [...command, ...(container.args ?? [])].map((text) =>
    expandVariables(text, env),
  );
  const binds = [...volumes.binds(container), ...(message.bind ? [message.bind] : [])];
  return {
    command: first,
    args,
    env,
    folder,
    nice,
    ...present({ user, sandbox: pod.isSandboxed ? { mountPoint: pod.view, binds } : undefined }),
  };
};

/** Counts read output, to distinguish silence from a slow machine. */
interface Hearing {
  chunks: number;
  isWriting: boolean;
}

const copy = async (
  output: AsyncIterable<Buffer>,
  log: ContainerLog,
  stream: OutputStream,
  hearing: Hearing,
): Promise<void> => {
  for await (const chunk of output) {
    hearing.chunks += 1;
    hearing.isWriting = true;
    await log.append(stream, chunk);
    hearing.isWriting = false;
  }
};

const silence = async (hearing: Hearing, clock: Clock, over: AbortSignal): Promise<void> => {
  for (let chunkCount = -1; !over.aborted; chunkCount = hearing.chunks) {
    if (chunkCount === hearing.chunks && !hearing.isWriting) return;
    await clock.sleep(LAST_WORDS_MS, over).catch(() => {});
    // Drains pending output first.
    await clock.yield();
  }
};

/** Logs the output of a process until it has exited and all is written. */
export const attend = async (
  runningProcess: RunningProcess,
  log: ContainerLog,
  clock: Clock,
): Promise<ProcessExit> => {
  const hearing: Hearing = { chunks: 0, isWriting: false };
  const all = new AbortController();
  const copying = Promise.allSettled([
    copy(runningProcess.stdout, log, 'stdout', hearing),
    copy(runningProcess.stderr, log, 'stderr', hearing),
  ]).then(() => all.abort());
  const exit = await runningProcess.exited;
  await silence(hearing, clock, all.signal);
  runningProcess.closeOutput();
  await copying;
  await log.end();
  return exit;
};

/** The exit of a process that could not be started, as container runtimes report it. */
export const startError = (error: unknown): ProcessExit & { reason: string; message: string } => ({
  exitCode: START_ERROR,
  reason: 'StartError',
  message: `cannot start: ${error instanceof Error ? error.message : String(error)}`,
});
