import { normaliseArguments } from '../arguments.ts';
import { createProgram } from '../program.ts';
import { formatCompletion } from './candidate.ts';
import { readWords } from './command-words.ts';
import { complete } from './complete.ts';
import type { NameSource } from './name-source.ts';

/** Loads the modules for server requests on demand: most words complete without them. */
const whenNeeded = (values: ReadonlyMap<string, string>): NameSource => {
  const source = async () => (await import('./server-names.ts')).serverNames(values);
  return {
    kinds: async () => (await source()).kinds(),
    names: async (kind) => (await source()).names(kind),
    contexts: async () => (await source()).contexts(),
  };
};

/** Prints completions for a shell. On any failure it prints none. */
export const runComplete = async (typed: readonly string[]): Promise<void> => {
  const words = [...normaliseArguments(typed.slice(0, -1)), typed.at(-1) ?? ''];
  try {
    const read = readWords(await createProgram(words.slice(0, -1)), words);
    process.stdout.write(formatCompletion(await complete(read, whenNeeded(read.values))));
  } catch {
    process.stdout.write(formatCompletion({ candidates: [] }));
  }
};
