#!/usr/bin/env node
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { FAILURES, type MoveError, moveErrorOf } from './errors.ts';
import { move } from './move.ts';
import { parseOrder, terminationMessageIn } from './order.ts';
import { processClock } from './process-clock.ts';

/** Kubernetes keeps this much of a termination message. */
const MESSAGE_BYTES = 4096;
const TEXT_LENGTH = 1024;

const cancelled = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => cancelled.abort());
// Nobody may be reading; the move goes on, and its exit code tells.
process.stdout.on('error', () => {});

const cut = (text: string): string =>
  text.length > TEXT_LENGTH ? `${text.slice(0, TEXT_LENGTH)}…` : text;

let terminationMessage: string | undefined;

const tell = (line: object): void => {
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

const fail = ({ reason, message, path }: MoveError): void => {
  const { exitCode, retryable } = FAILURES[reason];
  tell({
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
  const text = readText(process.argv.slice(2));
  // Before the rest of the order, so that what is wrong with that is told there, too.
  terminationMessage = terminationMessageIn(text);
  const order = parseOrder(text);
  const result = await move(order, {
    clock: processClock,
    signal: cancelled.signal,
    onProgress: (progress) => tell({ type: 'progress', ...progress }),
  });
  tell({ type: 'result', ...result });
} catch (error) {
  fail(moveErrorOf(error, 'source', ''));
}
