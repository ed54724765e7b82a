import { FOREGROUND, ORPHAN, type PropagationPolicy } from '../../registry/deletion-finalizers.ts';

/**
 * State of an owner: present; absent, or present under another UID; present and waiting for the deletion of its
 * dependents; unknown, because its kind is not served or cannot own the object.
 */
export type OwnerState = 'solid' | 'absent' | 'waiting' | 'unknown';

/** Input of the verdict on an object. */
export interface Situation {
  /** True if the object has a deletion timestamp. */
  readonly isEnding: boolean;
  readonly finalizers: readonly string[];
  /** True if it waits for dependents that wait, one for the other, for itself. */
  readonly isCircular: boolean;
  readonly owners: readonly { readonly uid: string; readonly state: OwnerState }[];
  readonly dependents: {
    readonly any: boolean;
    /** True if one of them keeps it from ending. */
    readonly blocking: boolean;
    /** True if one of them waits for its own dependents to go. */
    readonly waiting: boolean;
  };
}

export type Verdict =
  | { readonly do: 'nothing' }
  /** Remove the references of its dependents, and then its finalizer. */
  | { readonly do: 'orphan' }
  /** Remove its finalizer: its dependents are deleted. */
  | { readonly do: 'finish' }
  /** Clear `blockOwnerDeletion` in its owner references. */
  | { readonly do: 'unblock' }
  /** Remove these owner references. */
  | { readonly do: 'release'; readonly uids: readonly string[] }
  /** `unblock` is set for owners that wait for each other: the dependent must stop blocking before its deletion. */
  | { readonly do: 'delete'; readonly policy: PropagationPolicy; readonly unblock: boolean };

const NOTHING: Verdict = { do: 'nothing' };

const ofEnding = ({ finalizers, dependents, isCircular }: Situation): Verdict => {
  if (finalizers.includes(ORPHAN)) return { do: 'orphan' };
  if (!finalizers.includes(FOREGROUND)) return NOTHING;
  if (!dependents.blocking) return { do: 'finish' };
  return isCircular ? { do: 'unblock' } : NOTHING;
};

/** The propagation policy that the object's own finalizers imply. */
const policyOf = (finalizers: readonly string[]): PropagationPolicy => {
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
};

/** Decides on an object: keep it, delete it, or remove references. */
export const verdictOn = (situation: Situation): Verdict => {
  const { isEnding, finalizers, owners, dependents } = situation;
  if (isEnding) return ofEnding(situation);
  if (owners.length === 0 || owners.some(({ state }) => state === 'unknown')) return NOTHING;
  const others = owners.filter(({ state }) => state !== 'solid');
  if (others.length === 0) return NOTHING;
  if (others.length < owners.length) return { do: 'release', uids: others.map(({ uid }) => uid) };
  if (dependents.any && owners.some(({ state }) => state === 'waiting')) {
    return { do: 'delete', policy: 'Foreground', unblock: dependents.waiting };
  }
  return { do: 'delete', policy: policyOf(finalizers), unblock: false };
};
