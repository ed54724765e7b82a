import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** starttime is field 22 of `/proc/PID/stat`; the name in brackets before it may contain anything. */
const START_FIELD = 22 - 3;

const linuxIdentity = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${boot} ${fields[START_FIELD]}`;
  } catch {
    return undefined;
  }
};

const otherIdentity = (pid: number): string | undefined =>
  spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)])
    .stdout?.toString()
    .trim() || undefined;

/** Start time of a process, which distinguishes it from others with a reused id. Absent when there is none. */
export const identityOf = (pid: number): string | undefined =>
  process.platform === 'linux' ? linuxIdentity(pid) : otherIdentity(pid);
