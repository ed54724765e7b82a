import { CommanderError } from 'commander';
import { describeError, EXIT } from './errors.ts';
import { createProgram } from './program.ts';

/** kubectl takes `-o=yaml`; commander knows `-oyaml` and `-o yaml`. */
const normaliseArgument = (argument: string): string => argument.replace(/^(-[a-zA-Z])=/, '$1');

/** Runs one command line and tells the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  const program = createProgram();
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(args.map(normaliseArgument), { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(`perigee: ${describeError(error)}\n`);
    return EXIT.failed;
  }
};
