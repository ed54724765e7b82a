import { readFileSync } from 'node:fs';

/** The clock ticks of Linux in a second, by which it counts the time of processes. */
const TICKS = 100;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** The processor time of another process so far. Linux only. */
export const cpuMsOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets, and may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * 1000) / TICKS;
};

const megabytes = (pid: number, field: string): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status) ?? [];
  return Number(kilobytes) / 1024;
};

/** The most memory that another process had so far. Linux only. */
export const peakMegabytesOf = (pid: number): number => megabytes(pid, 'VmHWM');

/** Resident memory of another process, and the part of it that maps files, such as its program. Linux only. */
export const memoryOf = (pid: number): { readonly all: number; readonly ofFiles: number } => ({
  all: megabytes(pid, 'VmRSS'),
  ofFiles: megabytes(pid, 'RssFile'),
});
