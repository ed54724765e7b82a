import type { RequestTarget } from '../request/request-target.ts';

/** Resources whose bodies must not be logged. */
const CONFIDENTIAL: ReadonlySet<string> = new Set([
  'secrets',
  'configmaps',
  'tokenreviews',
  // Whole objects on their way to a member, Secrets among them.
  'works',
  'serviceaccounts/token',
]);

/** True if the body of a request to a resource must not be logged at any level. */
export const isConfidential = (target: RequestTarget | undefined): boolean => {
  if (target === undefined) return true;
  const { plural, subresource } = target;
  return (
    CONFIDENTIAL.has(plural) ||
    (subresource !== undefined && CONFIDENTIAL.has(`${plural}/${subresource}`))
  );
};
