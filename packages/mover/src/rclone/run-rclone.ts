import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type FailureReason, MoveError } from '../errors.ts';
import type { MoveOptions } from '../move-tree.ts';

/** Statistics that rclone prints of a transfer, once a second. */
interface Stats {
  readonly bytes?: number;
  readonly totalBytes?: number;
  readonly speed?: number;
  readonly eta?: number | null;
  readonly transfers?: number;
  readonly totalTransfers?: number;
  readonly deletes?: number;
}

export interface RcloneOptions extends Pick<MoveOptions, 'signal' | 'onProgress'> {
  /** Texts that must not be printed. */
  readonly secrets: readonly string[];
}

export interface RcloneCounts {
  readonly files: number;
  readonly bytes: number;
  readonly deleted: number;
}

/** By the exit code of rclone. */
const REASONS: { readonly [code: number]: FailureReason } = {
  3: 'SourceMissing',
  4: 'SourceMissing',
  5: 'EndpointUnavailable',
  6: 'EndpointUnavailable',
  7: 'EndpointRefused',
};

/** By the words of its last error, where the exit code stands for any failure. */
const REASONS_BY_WORDS: readonly (readonly [RegExp, FailureReason])[] = [
  [/connection re(fused|set)|no such host|time[d -]?out|unreachable/i, 'EndpointUnavailable'],
  [/\b40[13]\b|unauthorized|forbidden|permission denied/i, 'PermissionDenied'],
  [/no space left|quota/i, 'DiskFull'],
];

const LONGEST_LINE = 64 * 1024;

const parseLogLine = (line: string): { level?: string; msg?: string; stats?: Stats } => {
  try {
    return line.length > LONGEST_LINE ? {} : JSON.parse(line);
  } catch {
    return { level: 'error', msg: line };
  }
};

/**
 * Google's library asks the machine for its identity, its metadata service too, when it gets no credentials or an empty
 * one. Told to read them from a file, it asks nobody else.
 */
const NO_IDENTITY = { GOOGLE_APPLICATION_CREDENTIALS: '/dev/null' };

/** Runs rclone, reports its progress, and throws its error. It gets nothing of our environment but the PATH. */
export const runRclone = async (
  program: string,
  args: readonly string[],
  { secrets, signal, onProgress }: RcloneOptions,
): Promise<RcloneCounts> => {
  const logging = ['--use-json-log', '--stats', '1s', '--stats-log-level', 'NOTICE'];
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  const child = spawn(program, [...args, ...logging], {
    env: { PATH, HOME: TMPDIR, ...NO_IDENTITY },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const exitCode = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  exitCode.catch(() => {});
  let last: Stats = {};
  let lastError = '';
  for await (const line of createInterface({ input: child.stderr })) {
    const { level, msg = '', stats } = parseLogLine(line);
    if (stats !== undefined) last = { ...last, ...stats };
    else if (level === 'error' || level === 'critical') lastError = msg;
    if (stats === undefined) continue;
    const { bytes = 0, totalBytes = 0, speed = 0, eta, transfers = 0, totalTransfers = 0 } = stats;
    onProgress({
      phase: 'copy',
      bytesDone: bytes,
      bytesTotal: totalBytes,
      filesDone: transfers,
      filesTotal: totalTransfers,
      percentage: totalBytes === 0 ? 0 : Math.floor((bytes / totalBytes) * 1000) / 10,
      bytesPerSecond: Math.round(speed),
      ...(typeof eta === 'number' && { secondsLeft: eta }),
    });
  }
  const code = await exitCode;
  signal.removeEventListener('abort', stop);
  if (signal.aborted) {
    throw new MoveError('Cancelled', 'the move was cancelled; the same order goes on with it');
  }
  if (code === 0) {
    return { files: last.transfers ?? 0, bytes: last.bytes ?? 0, deleted: last.deletes ?? 0 };
  }
  const redacted = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), lastError);
  const [, byWords] = REASONS_BY_WORDS.find(([words]) => words.test(lastError)) ?? [];
  const otherwise = args[0] === 'check' ? 'VerificationFailed' : 'EndpointRefused';
  const reason = REASONS[code ?? 1] ?? byWords ?? otherwise;
  throw new MoveError(reason, `rclone ${args[0]} ended with ${code}: ${redacted.slice(0, 500)}`);
};
