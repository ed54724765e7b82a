import { hashText } from '../pods/hash-text.ts';

/** The users that pods run as, one for each pod; a range of one is shared by all. */
export interface PodUsers {
  readonly first: number;
  readonly count: number;
}

/**
 * How processes of pods are kept away from whoever operates the member:
 * `namespaces`, they see files and processes of their own; `user`, they run as other users; `none`.
 */
export interface Isolation {
  readonly kind: 'namespaces' | 'user' | 'none';
  /** Absent when this process may not choose the user of others. */
  readonly users?: PodUsers;
  /** Why it is not more. */
  readonly reason?: string;
}

export const NO_ISOLATION: Isolation = { kind: 'none' };

/** The user that a pod runs as: mostly one that no other pod has, and always the same. */
export const podUser = ({ users }: Isolation, podUid: string): number | undefined =>
  users === undefined ? undefined : users.first + (hashText(podUid) % users.count);

const SEEN = {
  namespaces:
    'they see system folders, their own files and their own processes, and nothing of yours',
  user: 'they run as other users, and can read whatever everybody on this machine can read',
  none: 'none: they run as you, and can read your files, your keys and the data of this control plane',
};

/** In a sentence, for whoever switched it on. */
export const describeIsolation = ({ kind, users, reason }: Isolation): string => {
  const as = kind === 'namespaces' && users !== undefined ? ', as users that own nothing else' : '';
  const why = reason === undefined ? '' : ` (${reason})`;
  return `isolation of these processes: ${SEEN[kind]}${as}; they share the network of this machine${why}`;
};
