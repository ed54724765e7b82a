import { spawn } from 'node:child_process';
import type { Clock } from '@perigee/kube/clock/clock';
import type { LaunchScheduler } from './supervised-schedulers.ts';

/** Time from SIGTERM to SIGKILL; longer than the child's own shutdown timeout. */
const LONGEST_END_MS = 45_000;

/**
 * Runs schedulers as child processes, by a command line for each. On SIGTERM a child takes no more work and
 * finishes what it has begun. Its standard input stays open as long as this process lives, so that a child that
 * reads it exits with its parent, however that ends.
 */
export const launchChild =
  (
    clock: Clock,
    commandOf: (scheduler: string) => readonly [file: string, ...args: string[]],
  ): LaunchScheduler =>
  (scheduler, signal) =>
    new Promise((resolve, reject) => {
      const [file, ...args] = commandOf(scheduler);
      // Detached from the terminal's process group: Ctrl-C reaches only the parent, which stops its children in
      // order.
      const child = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
      const timers = new DisposableStack();
      const end = () => {
        child.kill('SIGTERM');
        timers.use(clock.timer(LONGEST_END_MS, () => void child.kill('SIGKILL')));
      };
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      child.once('error', reject);
      child.once('exit', (code, by) => {
        timers.dispose();
        signal.removeEventListener('abort', end);
        if (code === 0) resolve();
        else reject(new Error(`the scheduler ${scheduler} ended with ${code ?? by}`));
      });
    });
