import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { FAILURES, type MoveError, moveErrorOf } from './errors.ts';
import { parseOrder, terminationMessageIn } from './order.ts';
import { processClock } from './process-clock.ts';
import { type ServeOrder, serveOrderIn } from './serve/serve-order.ts';

/** Kubernetes keeps this much of a termination message. */
const MESSAGE_BYTES = 4096;
/** So much of a message, and of a path, that both fit in there. */
const TEXT_BYTES = 1536;

const cancelled = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => cancelled.abort());
// Nobody may be reading; the move goes on, and its exit code is the report.
process.stdout.on('error', () => {});

/** The beginning of a text, as long as it may be as JSON: there, some characters take six bytes. */
const cut = (text: string): string => {
  let bytes = 0;
  let length = 0;
  for (const char of text) {
    bytes += Buffer.byteLength(JSON.stringify(char)) - 2;
    if (bytes > TEXT_BYTES) return `${text.slice(0, length)}…`;
    length += char.length;
  }
  return text;
};

let terminationMessage: string | undefined;

const print = (line: object): void => {
  const text = JSON.stringify({ time: new Date(processClock.now()).toISOString(), ...line });
  process.stdout.write(`${text}\n`);
  if (terminationMessage === undefined || Buffer.byteLength(text) > MESSAGE_BYTES) return;
  try {
    writeFileSync(terminationMessage, text);
  } catch (error) {
    writeSync(2, `mover: the termination message cannot be written: ${(error as Error).message}\n`);
    terminationMessage = undefined;
  }
};

const readText = (args: readonly string[]): string => {
  const [file = '-', ...more] = args;
  if (more.length > 0) throw new Error('the mover takes one argument: a file with the order, or -');
  return readFileSync(file === '-' ? 0 : file, 'utf8');
};

/** The rate is read again: the controller that shares the bandwidth of a cluster rewrites the order. */
const rateIn = (args: readonly string[], { bytesPerSecond }: ServeOrder): number | undefined => {
  if ((args[0] ?? '-') === '-') return bytesPerSecond;
  try {
    return serveOrderIn(readText(args))?.bytesPerSecond;
  } catch {
    // It is being replaced; the next check finds it.
    return bytesPerSecond;
  }
};

const fail = ({ reason, message, path }: MoveError): void => {
  const { exitCode, retryable } = FAILURES[reason];
  print({
    type: 'failure',
    reason,
    message: cut(message),
    ...(path !== undefined && { path: cut(path) }),
    retryable,
    exitCode,
  });
  process.exitCode = exitCode;
};

try {
  const args = process.argv.slice(2);
  const text = readText(args);
  // Before the rest of the order, so that errors of the rest are written there, too.
  terminationMessage = terminationMessageIn(text);
  const { signal } = cancelled;
  const toServe = serveOrderIn(text);
  if (toServe !== undefined) {
    const { serve } = await import('./serve/serve.ts');
    const server = await serve(toServe, {
      clock: processClock,
      signal,
      onListening: (port) => print({ type: 'serving', port }),
      currentRate: () => rateIn(args, toServe),
    });
    print({ type: 'served', ...server });
  } else {
    const { move } = await import('./move.ts');
    const result = await move(parseOrder(text), {
      clock: processClock,
      signal,
      onProgress: (progress) => print({ type: 'progress', ...progress }),
    });
    print({ type: 'result', ...result });
  }
} catch (error) {
  fail(moveErrorOf(error, 'source', ''));
}
