import type { GroupLevels } from './group-levels.ts';
import { groupNameFor, groupNameOf } from './group-names.ts';
import { type GroupOwner, groupOwnerOf, type OwnedPod } from './group-owner.ts';
import { type LookUp, ownersOf } from './owner-chain.ts';

/** The group that a pod should be in. */
export type Membership =
  /** Its group was chosen by a user. */
  | { readonly kind: 'chosen'; readonly name: string }
  /** The group of its owner; `isIn` is true if the pod is in it already. */
  | {
      readonly kind: 'of-owner';
      readonly name: string;
      readonly isIn: boolean;
      readonly decided: GroupOwner;
    }
  | Extract<ReturnType<typeof groupOwnerOf>, { readonly kind: 'pending' }>;

/** True if this group was made for the pod or any of its owners, by other rules or by Volcano. */
const isOfLineage = (name: string, pod: OwnedPod, lookUp: LookUp): boolean =>
  name === groupNameFor(pod.metadata.uid) ||
  [...ownersOf(pod, lookUp)].some(({ reference }) => name === groupNameFor(reference.uid));

/**
 * The group of a pod: the one that its annotation names, if a user chose it; else the group of its
 * owner by the rules. The latter also replaces a group that was made for another of its owners, or
 * one that `isFreeGroup` detects.
 */
export const membershipOf = (
  pod: OwnedPod,
  levels: GroupLevels,
  lookUp: LookUp,
  isFree = false,
): Membership => {
  const groupName = groupNameOf(pod);
  const verdict = groupOwnerOf(pod, levels, lookUp);
  if (verdict.kind === 'pending') return verdict;
  const name = groupNameFor(verdict.owner.uid);
  const isChosen = (group: string): boolean => group !== name && !isOfLineage(group, pod, lookUp);
  if (groupName !== undefined && !isFree && isChosen(groupName)) {
    return { kind: 'chosen', name: groupName };
  }
  return { kind: 'of-owner', name, isIn: groupName === name, decided: verdict };
};
