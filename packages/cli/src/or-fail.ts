import { ConfigError } from '@perigee/kube/errors';
import { CommandError } from './errors.ts';
import type { ExitCode } from './exit-codes.ts';

/** Turns a `ConfigError` into a `CommandError` with the exit code for its source. */
export const orFail = <T>(code: ExitCode, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(code, error.message) : error;
  }
};
