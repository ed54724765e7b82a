import type { Clock } from '@perigee/kube/clock/clock';
import type { ExecProbe } from '../processes/process-spec.ts';
import type { RunningProcess } from '../processes/spawn.ts';

const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_FAILURES = 3;

interface ProbeWork {
  readonly clock: Clock;
  /** Aborted when the container has ended. */
  readonly over: AbortSignal;
  start(command: readonly string[]): Promise<RunningProcess>;
  /** Called when successThreshold or failureThreshold is reached. */
  judge(isPassing: boolean): void;
}

const drain = async (output: AsyncIterable<Buffer>): Promise<void> => {
  for await (const _ of output);
};

const isExecutable = ({ exec }: ExecProbe): boolean => (exec?.command?.length ?? 0) > 0;

/** True for probes with a command, the only ones supported here. */
export const hasExec = (probe: ExecProbe | undefined): probe is ExecProbe =>
  probe !== undefined && isExecutable(probe);

const attempt = async (
  { exec, timeoutSeconds = 1 }: ExecProbe,
  work: ProbeWork,
): Promise<boolean> => {
  const probe = await work.start(exec?.command ?? []).catch(() => undefined);
  if (probe === undefined) return false;
  const kill = () => probe.signal('SIGKILL');
  using _ = work.clock.timer(timeoutSeconds * 1000, kill);
  work.over.addEventListener('abort', kill, { once: true });
  const read = Promise.allSettled([drain(probe.stdout), drain(probe.stderr)]);
  const { exitCode } = await probe.exited;
  work.over.removeEventListener('abort', kill);
  probe.closeOutput();
  await read;
  return exitCode === 0;
};

/** Probes a container until it has ended. */
export const probeContainer = async (probe: ExecProbe, work: ProbeWork): Promise<void> => {
  const { clock, over, judge } = work;
  const { initialDelaySeconds = 0, periodSeconds = DEFAULT_PERIOD_SECONDS } = probe;
  const { successThreshold = 1, failureThreshold = DEFAULT_FAILURES } = probe;
  await clock.sleep(initialDelaySeconds * 1000, over).catch(() => {});
  let run = { isPassing: false, length: 0 };
  while (!over.aborted) {
    const isPassing = await attempt(probe, work);
    run = { isPassing, length: isPassing === run.isPassing ? run.length + 1 : 1 };
    const threshold = isPassing ? successThreshold : failureThreshold;
    if (run.length >= threshold && !over.aborted) judge(isPassing);
    await clock.sleep(periodSeconds * 1000, over).catch(() => {});
  }
};
