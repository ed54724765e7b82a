import { readdirSync, readFileSync } from 'node:fs';

const environmentOf = (pid: string): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
};

/** The processes of a pod, by their numbers on this machine: in a sandbox they know other ones. Linux only. */
export const pidsOfPod = (uid: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => environmentOf(name).includes(`PERIGEE_POD_UID=${uid}`))
    .map(Number);
