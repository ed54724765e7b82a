import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

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

/** Reports as `spec` does, and closes with the names of what failed: nobody reads 6,000 lines for them. */
export default async function* nameFailures(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string, void> {
  const failures: string[] = [];
  const noted = async function* () {
    for await (const event of source) {
      const failure = failureOf(event);
      if (failure !== undefined) failures.push(failure);
      yield event;
    }
  };
  for await (const text of Readable.from(noted()).pipe(new spec())) yield text;
  if (failures.length > 0) yield `\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`;
}
