import {
  type PodGroupLevelRule,
  podGroupLevelRuleFor,
} from '@perigee/api/kinds/groups/pod-group-level-rules';
import type { ObjectMeta, OwnerReference } from '@perigee/api/meta/object-meta';
import type { GroupLevels } from './group-levels.ts';
import { type ChainEnd, type LookUp, type Owned, type OwnerLink, ownersOf } from './owner-chain.ts';

/** A pod, as far as the owner of its group goes. */
export interface OwnedPod extends Owned {
  readonly metadata: Owned['metadata'] & Pick<ObjectMeta, 'name'>;
}

/** Why the owner of a group is the one it is. */
export type OwnerChoice =
  | {
      readonly kind: 'rule';
      readonly rule: PodGroupLevelRule;
      /** The owner that the rule is about; its place among the owners, from the pod upwards. */
      readonly matched: number;
    }
  | { readonly kind: 'direct' | 'root' }
  /** It has no owner that could have the group. */
  | { readonly kind: 'pod' };

export interface GroupOwner {
  readonly kind: 'decided';
  readonly owner: OwnerReference;
  readonly choice: OwnerChoice;
  /** The owners as far as they were looked at, from the pod upwards. */
  readonly owners: readonly OwnerLink[];
  /** Absent when a rule matched before the end. */
  readonly end?: ChainEnd;
}

/** Who owns the group of a pod, or which object has to be asked for to know it. */
export type GroupOwnerVerdict =
  | GroupOwner
  | { readonly kind: 'pending'; readonly reference: OwnerReference };

const podReference = ({ metadata: { name, uid } }: OwnedPod): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  uid,
});

/**
 * The owner of a pod’s group: the nearest owner upwards that a rule is about, or one as many levels below it
 * as the rule says, down to the pod itself. Without a rule, the direct owner or the root.
 */
export const groupOwnerOf = (
  pod: OwnedPod,
  { rules, withoutRule }: GroupLevels,
  lookUp: LookUp,
): GroupOwnerVerdict => {
  const owners: OwnerLink[] = [];
  const ownerAt = (index: number): OwnerReference => owners[index]?.reference ?? podReference(pod);
  const way = ownersOf(pod, lookUp);
  let step = way.next();
  while (!step.done) {
    owners.push(step.value);
    const rule = podGroupLevelRuleFor(rules, step.value.reference);
    if (rule !== undefined) {
      const matched = owners.length - 1;
      const choice = { kind: 'rule', rule, matched } as const;
      return { kind: 'decided', owner: ownerAt(matched + rule.adjustLevel), choice, owners };
    }
    step = way.next();
  }
  const end = step.value;
  if (end.kind === 'pending') return { kind: 'pending', reference: end.reference };
  const choice = { kind: owners.length === 0 ? 'pod' : withoutRule } as const;
  const owner = ownerAt(withoutRule === 'direct' ? 0 : owners.length - 1);
  return { kind: 'decided', owner, choice, owners, end };
};
