import type { LogFields } from './loggable.ts';

export interface LogRecord {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

const PLAIN = /^[\w.:/@+-]+$/;

const formatValue = (value: unknown): string =>
  typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value);

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: unknown;
}

const isLoggedError = (value: unknown): value is LoggedError =>
  typeof value === 'object' &&
  value !== null &&
  'stack' in value &&
  typeof value.stack === 'string' &&
  'message' in value;

/** Keeps lines apart from the next record, and drops what would steer a terminal. */
const indented = (text: string): string =>
  text.replace(/[^\P{Cc}\n]/gu, '').replace(/\n\s*/g, '\n    ');

/** An error and its causes below one another, each with its stack. */
const formatError = (error: LoggedError, depth = 0): string => {
  const { name, message, stack, cause } = error;
  const head = `\n  ${depth === 0 ? '' : 'caused by '}${name}: ${indented(message)}`;
  const rest = isLoggedError(cause)
    ? formatError(cause, depth + 1)
    : cause === undefined
      ? ''
      : `\n  caused by ${formatValue(cause)}`;
  return `${head}${stack === '' ? '' : indented(`\n${stack}`)}${rest}`;
};

/** A line for people: time, level, message and fields; errors follow on lines of their own. */
export const formatLogText = ({ time, level, message, fields }: LogRecord): string => {
  const inline: string[] = [];
  const errors: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (isLoggedError(value)) errors.push(formatError(value));
    else inline.push(` ${name}=${formatValue(value)}`);
  }
  return `${time} ${level.toUpperCase().padEnd(5)} ${indented(message)}${inline.join('')}${errors.join('')}\n`;
};
