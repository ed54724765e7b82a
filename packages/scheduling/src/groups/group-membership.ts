import type { GroupLevels } from './group-levels.ts';
import { groupNameFor, groupNameOf } from './group-names.ts';
import { type GroupOwner, groupOwnerOf, type OwnedPod } from './group-owner.ts';
import { type LookUp, ownersOf } from './owner-chain.ts';

/** Which group a pod should be in. */
export type Membership =
  /** In one that a user chose. */
  | { readonly kind: 'chosen'; readonly name: string }
  /** In that of its owner; `isIn` tells whether it is. */
  | {
      readonly kind: 'of-owner';
      readonly name: string;
      readonly isIn: boolean;
      readonly decided: GroupOwner;
    }
  | Extract<ReturnType<typeof groupOwnerOf>, { readonly kind: 'pending' }>;

/** Whether a group of this name was made for the pod, or for one of its owners: by other rules, or by Volcano. */
const isOfLineage = (name: string, pod: OwnedPod, lookUp: LookUp): boolean =>
  name === groupNameFor(pod.metadata.uid) ||
  [...ownersOf(pod, lookUp)].some(({ reference }) => name === groupNameFor(reference.uid));

/**
 * The group of a pod: the one that it names, if a user chose it; else that of its owner by the rules, also
 * when it is in one that was made for another of its owners, or that nobody owns any more.
 */
export const membershipOf = (
  pod: OwnedPod,
  levels: GroupLevels,
  lookUp: LookUp,
  isAbandoned: (group: string) => boolean = () => false,
): Membership => {
  const named = groupNameOf(pod);
  const verdict = groupOwnerOf(pod, levels, lookUp);
  if (verdict.kind === 'pending') return verdict;
  const name = groupNameFor(verdict.owner.uid);
  const isChosen = (group: string): boolean =>
    group !== name && !isOfLineage(group, pod, lookUp) && !isAbandoned(group);
  if (named !== undefined && isChosen(named)) {
    return { kind: 'chosen', name: named };
  }
  return { kind: 'of-owner', name, isIn: named === name, decided: verdict };
};
