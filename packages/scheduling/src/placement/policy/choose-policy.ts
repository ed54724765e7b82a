import type { PropagationSpec } from '@perigee/api/kinds/placement/propagation-spec';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { bestMatch } from './selector-match.ts';

/** A propagation policy of either scope. */
export interface Policy {
  readonly metadata: Pick<
    KubeObject['metadata'],
    'name' | 'namespace' | 'labels' | 'deletionTimestamp'
  >;
  readonly spec: Pick<PropagationSpec, 'resourceSelectors' | 'priority' | 'preemption'>;
}

/**
 * Chooses among the policies that select an object: the highest priority, then the most precise
 * selector, then by name. Policies being deleted are skipped.
 */
export const choosePolicy = <P extends Policy>(
  policies: Iterable<P>,
  object: KubeObject,
): P | undefined => {
  let bestChoice: { readonly policy: P; readonly precision: number } | undefined;
  for (const policy of policies) {
    if (policy.metadata.deletionTimestamp !== undefined) continue;
    const precision = bestMatch(policy.spec.resourceSelectors, object);
    if (precision === 0) continue;
    const isBetter =
      bestChoice === undefined ||
      (policy.spec.priority - bestChoice.policy.spec.priority ||
        precision - bestChoice.precision ||
        (policy.metadata.name < bestChoice.policy.metadata.name ? 1 : -1)) > 0;
    if (isBetter) bestChoice = { policy, precision };
  }
  return bestChoice?.policy;
};

/**
 * True if a policy may preempt the current one. A namespaced policy preempts any cluster-wide one,
 * regardless of priority; otherwise its priority must be higher.
 */
export const mayPreempt = (policy: Policy, owner: Policy): boolean => {
  if (policy.spec.preemption !== 'Always') return false;
  const [isOwn, ownerIsOwn] = [policy, owner].map(({ metadata }) => Boolean(metadata.namespace));
  if (isOwn && !ownerIsOwn) return true;
  return isOwn === ownerIsOwn && policy.spec.priority > owner.spec.priority;
};
