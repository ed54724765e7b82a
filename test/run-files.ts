import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { closingOf, reportOf } from './test-report.ts';

/** Ends what hangs. Ten thousand histories take minutes, and several times that on a busy machine. */
const TIMEOUT_MS = 1_200_000;
const PRELOADED = [
  new URL('../packages/cli/src/fast-imports.ts', import.meta.url),
  new URL('./fixed-seed.ts', import.meta.url),
].map(({ href }) => `--import=${href}`);

/** A run of its own per file: a single one of several reports them in their order, and one that takes minutes holds up the rest. */
const runFile = (file: string): Promise<readonly TestEvent[]> =>
  run({
    files: [file],
    timeout: TIMEOUT_MS,
    execArgv: PRELOADED,
  }).toArray();

const secondsSince = (start: number): string =>
  `${((performance.now() - start) / 1000).toFixed(1)} s`;

const isFailure = (event: TestEvent): boolean =>
  event.type === 'test:fail' && (event.data.todo === undefined || event.data.todo === false);

/**
 * Runs test files in this order, so many at a time, each in a process of its own. A file is reported as soon
 * as it has ended. Fails as `node --test` does.
 */
export const runFiles = async (files: readonly string[], concurrency: number): Promise<void> => {
  const start = performance.now();
  const eventsOf: (readonly TestEvent[])[] = [];
  let endCount = 0;
  const rest = files.entries();
  const runRest = async (): Promise<void> => {
    for (const [at, file] of rest) {
      const begin = performance.now();
      const events = await runFile(file);
      eventsOf[at] = events;
      endCount += 1;
      if (events.some(isFailure)) process.exitCode = 1;
      const head = `${file}, ${endCount} of ${files.length} (${secondsSince(begin)})`;
      process.stdout.write(`${head}\n${await reportOf(events)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runRest));
  process.stdout.write(
    `\n${files.length} files (${secondsSince(start)})\n${closingOf(eventsOf.flat())}`,
  );
};
