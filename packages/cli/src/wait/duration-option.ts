import { ParseError } from '@perigee/schema/errors';
import { parseDuration } from '@perigee/schema/values/duration';
import { InvalidArgumentError, Option } from 'commander';

export const readMs = (text: string): number => {
  try {
    const ms = parseDuration(text);
    if (ms > 0) return ms;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  throw new InvalidArgumentError('it must be a time such as 90s or 5m.');
};

/** `--timeout`, parsed to milliseconds. */
export const timeoutOption = (usual: string): Option =>
  new Option('--timeout <time>', 'how long to wait at most, such as 90s or 5m')
    .argParser(readMs)
    .default(parseDuration(usual), usual);
