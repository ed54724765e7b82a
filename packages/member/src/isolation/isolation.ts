import { hashText } from '../pods/hash-text.ts';

/** User ids of pods, one for each; a range of one is shared by all. */
export interface PodUsers {
  readonly first: number;
  readonly count: number;
}

/**
 * Isolation of pod processes from the operator of the member: `namespaces` (own files and processes), `user` (another
 * user), `none`.
 */
export interface Isolation {
  readonly kind: 'namespaces' | 'user' | 'none';
  /** Absent when this process may not switch users. */
  readonly users?: PodUsers;
  /** Explains why the isolation is not stronger. */
  readonly reason?: string;
}

export const NO_ISOLATION: Isolation = { kind: 'none' };

/** The user id of a pod, stable and mostly unique. */
export const podUser = ({ users }: Isolation, podUid: string): number | undefined =>
  users === undefined ? undefined : users.first + (hashText(podUid) % users.count);

const SEEN = {
  namespaces:
    'they see system folders, their own files and their own processes, and nothing of yours',
  user: 'they run as other users, and can read whatever everybody on this machine can read',
  none: 'none: they run as you, and can read your files, your keys and the data of this control plane',
};

/** One sentence for the operator. */
export const describeIsolation = ({ kind, users, reason }: Isolation): string => {
  const as = kind === 'namespaces' && users !== undefined ? ', as users that own nothing else' : '';
  const why = reason === undefined ? '' : ` (${reason})`;
  return `isolation of these processes: ${SEEN[kind]}${as}; they share the network of this machine${why}`;
};
