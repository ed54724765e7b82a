import { normaliseArguments } from '../arguments.ts';
import { createProgram } from '../program.ts';
import { formatCompletion } from './candidate.ts';
import { readWords } from './command-words.ts';
import { complete } from './complete.ts';
import { serverNames } from './server-names.ts';

/** Tells a shell how a command line can go on. Whatever fails, there is just nothing to offer. */
export const runComplete = async (typed: readonly string[]): Promise<void> => {
  const words = [...normaliseArguments(typed.slice(0, -1)), typed.at(-1) ?? ''];
  try {
    const read = readWords(await createProgram(words.slice(0, -1)), words);
    process.stdout.write(formatCompletion(await complete(read, serverNames(read.values))));
  } catch {
    process.stdout.write(formatCompletion({ candidates: [] }));
  }
};
