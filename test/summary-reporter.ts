import { relative } from 'node:path';
import { Readable } from 'node:stream';
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

/** Reports as `spec` does, and closes with the tests that were skipped and failed: nobody reads 6,000 lines for them. */
export default async function* summaryReporter(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string, void> {
  const failures: string[] = [];
  const skipped: Skipped[] = [];
  const noted = async function* () {
    for await (const event of source) {
      const failure = failureOf(event);
      if (failure !== undefined) failures.push(failure);
      const skip = skippedOf(event);
      if (skip !== undefined) skipped.push(skip);
      yield event;
    }
  };
  for await (const text of Readable.from(noted()).pipe(new spec())) yield text;
  if (skipped.length > 0) yield `\nSkipped:\n${[...skippedLines(skipped)].join('')}`;
  if (failures.length > 0) yield `\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`;
}
