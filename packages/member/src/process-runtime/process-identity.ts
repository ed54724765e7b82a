import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The moment of its start is the 22nd field; its name is in brackets and may hold anything. */
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

/**
 * What tells a process from every other one that has had the same number, or will: when it started.
 * Absent when there is none.
 */
export const identityOf = (pid: number): string | undefined =>
  process.platform === 'linux' ? linuxIdentity(pid) : otherIdentity(pid);
