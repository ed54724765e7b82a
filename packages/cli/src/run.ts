import { type Command, CommanderError } from 'commander';
import { normaliseArguments } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';

const fail = async (error: unknown): Promise<number> => {
  const { describeError, exitCodeOf, AlreadyReported } = await import('./errors.ts');
  const { notify } = await import('./output/notify.ts');
  if (!(error instanceof AlreadyReported)) {
    notify(describeError(error));
  }
  return exitCodeOf(error);
};

/** The completion protocol of shells and kubectl; hidden, as it is not for people. */
const COMPLETE = '__complete';

/** Treats `help WORD` for an unknown word like the word itself, which suggests similar commands. */
const withoutVainHelp = (program: Command, args: readonly string[]): readonly string[] => {
  const [first, topic] = args;
  const isVain = first === 'help' && topic !== undefined && topic !== 'help';
  return isVain && program.commands.every((command) => command.name() !== topic)
    ? args.slice(1)
    : args;
};

/** Runs one command line; returns the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  if (args[0] === COMPLETE) {
    const { runComplete } = await import('./completion/run-complete.ts');
    await runComplete(args.slice(1));
    return EXIT.ok;
  }
  const program = await createProgram(args);
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(normaliseArguments(withoutVainHelp(program, args)), { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return fail(error);
  }
};
