import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { spec, type TestEvent } from 'node:test/reporters';
import { isAboutPeer, PEER_COMMAND } from '../tools/peers/peer-tests.ts';

/** The tests that failed by themselves, not by one within them, each with its file. */
const failureOf = (event: TestEvent): string | undefined => {
  if (event.type !== 'test:fail') return undefined;
  const { name, file = '', details, todo, skip } = event.data;
  if (todo !== undefined || skip !== undefined) return undefined;
  const ofSubtest =
    'failureType' in details.error && details.error.failureType === 'subtestsFailed';
  if (ofSubtest) return undefined;
  return `${relative(process.cwd(), file)}: ${name}`;
};

interface Skipped {
  readonly reason: string;
  readonly file: string;
}

/** The file and the reason of a test or suite that did not run. */
const skippedOf = (event: TestEvent): Skipped | undefined => {
  if (event.type !== 'test:pass') return undefined;
  const { file = '', skip } = event.data;
  if (skip === undefined || skip === false) return undefined;
  return {
    reason: typeof skip === 'string' && skip !== '' ? skip : 'no reason is given',
    file: relative(process.cwd(), file),
  };
};

/** Per reason the files with the number of their skipped tests, and the command that runs them. */
function* skippedLines(skipped: readonly Skipped[]): Generator<string> {
  for (const [reason, all] of Map.groupBy(skipped, ({ reason }) => reason)) {
    const files = Map.groupBy(all, ({ file }) => file);
    yield `  ${reason}\n`;
    for (const [file, { length }] of files) yield `    ${file} (${length})\n`;
    const command = isAboutPeer(reason)
      ? PEER_COMMAND
      : `npx node --test ${[...files.keys()].join(' ')}`;
    yield `    to run: ${command}\n`;
  }
}

/** The counts with which the run of a file closes, and its time. */
const isOfRun = (event: TestEvent): event is TestEvent & { readonly type: 'test:diagnostic' } =>
  event.type === 'test:diagnostic' && event.data.file === undefined;

const countOf = (event: TestEvent): readonly [name: string, count: number] | undefined => {
  if (!isOfRun(event)) return undefined;
  const [, name, count] = /^([a-z]+) (\d+)$/.exec(event.data.message) ?? [];
  return name === undefined ? undefined : [name, Number(count)];
};

/** The tests of a file, as `spec` tells of them. */
export const reportOf = (events: readonly TestEvent[]): Promise<string> =>
  text(Readable.from(events.filter((event) => !isOfRun(event))).pipe(new spec()));

/** Closes the reports of files with counts and the names of skipped and failed tests: 6,000 lines are too many. */
export const closingOf = (events: readonly TestEvent[]): string => {
  const counts = new Map<string, number>();
  for (const [name, count] of events.map(countOf).filter((one) => one !== undefined))
    counts.set(name, (counts.get(name) ?? 0) + count);
  const failures = events.map(failureOf).filter((failure) => failure !== undefined);
  const skips = events.map(skippedOf).filter((skip) => skip !== undefined);
  return [
    ...counts.entries().map(([name, count]) => `ℹ ${name} ${count}\n`),
    ...(skips.length > 0 ? ['\nSkipped:\n', ...skippedLines(skips)] : []),
    ...(failures.length > 0 ? ['\nFailed:\n', ...failures.map((name) => `  ${name}\n`)] : []),
  ].join('');
};
