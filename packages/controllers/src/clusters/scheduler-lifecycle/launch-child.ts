import { spawn } from 'node:child_process';
import type { Clock } from '@perigee/kube/clock/clock';
import type { LaunchScheduler } from './supervised-schedulers.ts';

/** A child that was asked to end and has not by then is ended. It is longer than its own patience. */
const LONGEST_END_MS = 45_000;

/**
 * Runs schedulers as children of this process, by a command line for each. A child that is to end gets
 * SIGTERM, on which it takes no more work and ends what it has begun. Its input stays open as long as this
 * process lives, however that ends: a child that follows it does not outlive its parent.
 */
export const launchChild =
  (
    clock: Clock,
    commandOf: (scheduler: string) => readonly [file: string, ...args: string[]],
  ): LaunchScheduler =>
  (scheduler, signal) =>
    new Promise((resolve, reject) => {
      const [file, ...args] = commandOf(scheduler);
      // Ctrl-C is for the parent, which stops its children in good order.
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
