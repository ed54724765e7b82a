import type { KubeObject } from '@perigee/api/meta/object-meta';
import { parseTime } from '@perigee/schema/values/time';

/** Annotation with the digest of the template that a lazy policy found on arrival. */
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
 * True if a template without a binding must wait for its next change: its lazy policy is newer.
 * Creation in the same second counts as simultaneous.
 */
export const waitsForChange = (
  template: KubeObject,
  policy: LazyPolicy,
  digest: string,
): boolean => {
  if (policy.spec.activationPreference !== 'Lazy') return false;
  const lastDigest = template.metadata.annotations?.[FOUND_BY_LAZY];
  return lastDigest === undefined ? isOlder(template, policy) : lastDigest === digest;
};
