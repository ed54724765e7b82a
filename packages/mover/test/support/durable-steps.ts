import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a mover before anything else. It writes down each call that changes a disk, or verifies it, by thread,
 * or ends the process right before one of them, as `kill -9` does: MOVER_STEPS is the file to write to, and MOVER_KILL
 * a thread and the number of its call, such as `worker 17`. A write that it ends in has come half way.
 */
const CALLS = [
  'mkdirSync',
  'openSync',
  'readSync',
  'writeSync',
  'writeFileSync',
  'ftruncateSync',
  'fsyncSync',
  'futimesSync',
  'fchmodSync',
  'chmodSync',
  'renameSync',
  'unlinkSync',
  'rmdirSync',
  'symlinkSync',
] as const;

const { MOVER_STEPS, MOVER_KILL } = process.env;
const thread = isMainThread ? 'main' : 'worker';
const { writeSync } = fs;
const steps = MOVER_STEPS === undefined ? undefined : fs.openSync(MOVER_STEPS, 'a');
let count = 0;
let last = '';

/** Half of what was to be written is on the disk when the process ends. */
const tear = ([fd, bytes, ...rest]: readonly unknown[]): void => {
  const position = rest.at(-1);
  if (typeof fd !== 'number' || !Buffer.isBuffer(bytes) || typeof position !== 'number') return;
  const [from = 0, length = bytes.length] = rest.length === 3 ? (rest as number[]) : [];
  writeSync(fd, bytes, from, length >> 1, position);
};

for (const name of CALLS) {
  const call = fs[name] as (...args: unknown[]) => unknown;
  const stepping = (...args: unknown[]): unknown => {
    // Opening and reading leave nothing behind, but for the look at what was just written.
    const isVerifying = name === 'readSync' && last === 'writeSync';
    const isChange =
      name === 'openSync' ? (Number(args[1]) & fs.constants.O_CREAT) !== 0 : name !== 'readSync';
    // Standard output is no disk.
    if (args[0] === 1 || args[0] === 2 || !(isChange || isVerifying)) return call(...args);
    last = name;
    const step = `${thread} ${count++}`;
    if (steps !== undefined) writeSync(steps, `${step} ${name}\n`);
    if (step === MOVER_KILL) {
      if (name === 'writeSync') tear(args);
      process.kill(process.pid, 'SIGKILL');
    }
    return call(...args);
  };
  Object.assign(fs, { [name]: stepping });
}
syncBuiltinESMExports();
