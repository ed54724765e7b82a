import type { KubeObject } from '@perigee/api/meta/object-meta';
import { parseTime } from '@perigee/api/values/time';

/** The annotation of a template that says which version of it a lazy policy found when it came. */
export const FOUND_BY_LAZY = 'policy.perigee.io/found-by-lazy-policy';

interface LazyPolicy {
  readonly metadata: Pick<KubeObject['metadata'], 'creationTimestamp'>;
  readonly spec: { readonly activationPreference?: string | undefined };
}

const isOlder = (template: KubeObject, policy: LazyPolicy): boolean => {
  const [theirs, its] = [template.metadata, policy.metadata].map(
    ({ creationTimestamp }) => creationTimestamp,
  );
  return theirs !== undefined && its !== undefined && parseTime(theirs) < parseTime(its);
};

/**
 * Whether a template without a binding waits for its next change: its policy is lazy and came after it. What
 * came in the same second counts as having come together.
 */
export const waitsForChange = (
  template: KubeObject,
  policy: LazyPolicy,
  digest: string,
): boolean => {
  if (policy.spec.activationPreference !== 'Lazy') return false;
  const found = template.metadata.annotations?.[FOUND_BY_LAZY];
  return found === undefined ? isOlder(template, policy) : found === digest;
};
