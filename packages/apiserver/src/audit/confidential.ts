import type { RequestTarget } from '../request/request-target.ts';

/** Resources whose objects hold what nobody may find in a log. */
const CONFIDENTIAL: ReadonlySet<string> = new Set([
  'secrets',
  'configmaps',
  'tokenreviews',
  // Whole objects on their way to a member, Secrets among them.
  'works',
  'serviceaccounts/token',
]);

/** True if what is sent to a resource must not be written down, whatever the level. */
export const isConfidential = (target: RequestTarget | undefined): boolean => {
  if (target === undefined) return true;
  const { plural, subresource } = target;
  return (
    CONFIDENTIAL.has(plural) ||
    (subresource !== undefined && CONFIDENTIAL.has(`${plural}/${subresource}`))
  );
};
