import { formatMicroTime } from '@perigee/schema/values/time';
import type { Clock } from '../clock/clock.ts';
import { formatLogText } from './log-text.ts';
import { type LogFields, toLoggable } from './loggable.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Log = (message: string, fields?: LogFields) => void;

/**
 * Logs events, as sentences with fields. An `Error` among the fields is written with its causes.
 * Secrets never come out: the values of fields with the names of secrets are left out, at any depth.
 */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  /** A logger that adds the fields to every line. */
  with(fields: LogFields): Logger;
  /** True if anything of the level comes out: spares the making of costly fields. */
  isEnabled(level: LogLevel): boolean;
}

export interface LoggerOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The least level that comes out. */
  readonly level?: LogLevel;
  /** JSON lines for machines, or text for a terminal. */
  readonly format?: 'json' | 'text';
  /** Takes a line, with its end; standard error unless given. */
  readonly write?: (line: string) => void;
}

/** The names that every line has; a field of such a name gets an underscore. */
const RESERVED = new Set(['time', 'level', 'message']);

const merge = (base: LogFields, fields: LogFields): LogFields => {
  const record: { [name: string]: unknown } = { ...base };
  for (const [name, value] of Object.entries(fields)) {
    const loggable = toLoggable(value, name);
    if (loggable !== undefined) record[RESERVED.has(name) ? `_${name}` : name] = loggable;
  }
  return record;
};

export const createLogger = ({
  clock,
  level = 'info',
  format = 'json',
  write = (line) => {
    process.stderr.write(line);
  },
}: LoggerOptions): Logger => {
  const least = LOG_LEVELS.indexOf(level);
  const isEnabled = (of: LogLevel): boolean => LOG_LEVELS.indexOf(of) >= least;

  const loggerWith = (base: LogFields): Logger => {
    const logAt = (of: LogLevel): Log => {
      if (!isEnabled(of)) return () => {};
      return (text, fields) => {
        const time = formatMicroTime(clock.now());
        const message = String(toLoggable(text));
        const all = fields === undefined ? base : merge(base, fields);
        write(
          format === 'json'
            ? `${JSON.stringify({ time, level: of, message, ...all })}\n`
            : formatLogText({ time, level: of, message, fields: all }),
        );
      };
    };
    return {
      debug: logAt('debug'),
      info: logAt('info'),
      warn: logAt('warn'),
      error: logAt('error'),
      with: (fields) => loggerWith(merge(base, fields)),
      isEnabled,
    };
  };
  return loggerWith({});
};
