import { ConfigError } from '@perigee/kube/errors';
import { CommandError } from './errors.ts';
import type { ExitCode } from './exit-codes.ts';

/** What is wrong with options is a failure of its own kind, by where they stand. */
export const orFail = <T>(code: ExitCode, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(code, error.message) : error;
  }
};
