import {
  type PodGroupLevelRule,
  podGroupLevelRuleFor,
} from '@perigee/api/kinds/groups/pod-group-level-rules';
import type { ObjectMeta, OwnerReference } from '@perigee/api/meta/object-meta';
import type { GroupLevels } from './group-levels.ts';
import {
  type ChainEnd,
  type LookUp,
  type OwnedObject,
  type OwnerLink,
  ownersOf,
} from './owner-chain.ts';

/** The pod fields that decide about the owner of its group. */
export interface OwnedPod extends OwnedObject {
  readonly metadata: OwnedObject['metadata'] & Pick<ObjectMeta, 'name'>;
}

/** The reason for the choice of the owner. */
export type OwnerChoice =
  | {
      readonly kind: 'rule';
      readonly rule: PodGroupLevelRule;
      /** Index of the owner that the rule matches, counted from the pod upwards. */
      readonly matched: number;
    }
  | { readonly kind: 'direct' | 'root' }
  /** The pod has no usable owner. */
  | { readonly kind: 'pod' };

export interface GroupOwner {
  readonly kind: 'decided';
  readonly owner: OwnerReference;
  readonly choice: OwnerChoice;
  /** The owners read so far, from the pod upwards. */
  readonly owners: readonly OwnerLink[];
  /** Absent if a rule matched before the end of the chain. */
  readonly end?: ChainEnd;
}

/** The owner of a pod's group, or the object to fetch first. */
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
 * Finds the owner of a pod's group: the nearest owner that a rule matches, or `adjustLevel` levels
 * below it, down to the pod itself. Without a matching rule, the direct owner or the root.
 */
export const groupOwnerOf = (
  pod: OwnedPod,
  { rules, withoutRule }: GroupLevels,
  lookUp: LookUp,
): GroupOwnerVerdict => {
  const owners: OwnerLink[] = [];
  const ownerAt = (index: number): OwnerReference => owners[index]?.reference ?? podReference(pod);
  const chain = ownersOf(pod, lookUp);
  let step = chain.next();
  while (!step.done) {
    owners.push(step.value);
    const rule = podGroupLevelRuleFor(rules, step.value.reference);
    if (rule !== undefined) {
      const index = owners.length - 1;
      const choice = { kind: 'rule', rule, matched: index } as const;
      return { kind: 'decided', owner: ownerAt(index + rule.adjustLevel), choice, owners };
    }
    step = chain.next();
  }
  const end = step.value;
  if (end.kind === 'pending') return { kind: 'pending', reference: end.reference };
  const choice = { kind: owners.length === 0 ? 'pod' : withoutRule } as const;
  const owner = ownerAt(withoutRule === 'direct' ? 0 : owners.length - 1);
  return { kind: 'decided', owner, choice, owners, end };
};
