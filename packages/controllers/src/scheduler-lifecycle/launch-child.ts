import { spawn } from 'node:child_process';
import type { LaunchScheduler } from './supervised-schedulers.ts';

/**
 * Runs schedulers as children of this process, by a command line for each. A child that is to end gets
 * SIGTERM, on which it takes no more work and ends what it has begun. Its input stays open as long as this
 * process lives, however that ends: a child that follows it does not outlive its parent.
 */
export const launchChild =
  (commandOf: (scheduler: string) => readonly [file: string, ...args: string[]]): LaunchScheduler =>
  (scheduler, signal) =>
    new Promise((resolve, reject) => {
      const [file, ...args] = commandOf(scheduler);
      // Ctrl-C is for the parent, which stops its children in good order.
      const child = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
      const end = () => void child.kill('SIGTERM');
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      child.once('error', reject);
      child.once('exit', (code, by) => {
        signal.removeEventListener('abort', end);
        if (code === 0) resolve();
        else reject(new Error(`the scheduler ${scheduler} ended with ${code ?? by}`));
      });
    });
