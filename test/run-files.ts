import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import summaryReporter from './summary-reporter.ts';

/** Ends what hangs. Ten thousand histories take minutes, and several times that on a busy machine. */
const TIMEOUT_MS = 1_200_000;
const FIXED_SEED = new URL('./fixed-seed.ts', import.meta.url).href;

/** Runs test files in this order, so many at a time, each in a process of its own. Fails as `node --test` does. */
export const runFiles = async (files: readonly string[], concurrency: number): Promise<void> => {
  const events = run({
    files: [...files],
    concurrency,
    timeout: TIMEOUT_MS,
    execArgv: [`--import=${FIXED_SEED}`],
  });
  events.on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  });
  const report = events.compose(summaryReporter);
  report.pipe(process.stdout);
  await finished(report);
};
