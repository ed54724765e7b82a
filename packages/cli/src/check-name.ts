import { CommandError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { canBeName } from './object-names.ts';

/** Refuses a name from the command line that would lead to another object, or to a part of one. */
export const checkName = (name: string, what: string): void => {
  if (!canBeName(name))
    throw new CommandError(EXIT.usage, `"${name}" cannot be the name of ${what}`);
};
