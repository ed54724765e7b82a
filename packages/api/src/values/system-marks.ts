/**
 * The labels and annotations by which the system knows what it has made and for whom. Users do not write them:
 * one that is forged would pass an object off as somebody else's. What users may set under the same
 * prefixes, such as `work.karmada.io/conflict-resolution`, is not among them.
 */
const MARKS: ReadonlySet<string> = new Set([
  'karmada.io/managed',
  'karmada.io/system',
  'work.karmada.io/permanent-id',
  'work.karmada.io/namespace',
  'work.karmada.io/name',
  'resourcetemplate.karmada.io/uid',
  'resourcetemplate.karmada.io/generation',
  'resourcetemplate.karmada.io/managed-labels',
  'resourcetemplate.karmada.io/managed-annotations',
]);

const OWN_PREFIXES: ReadonlySet<string> = new Set([
  'resourcebinding.karmada.io',
  'clusterresourcebinding.karmada.io',
  'propagationpolicy.karmada.io',
  'clusterpropagationpolicy.karmada.io',
  'policy.karmada.io',
  'policy.perigee.io',
  'binding.karmada.io',
]);

/** True if a label or annotation is the system's own. */
export const isSystemMark = (key: string): boolean =>
  MARKS.has(key) || OWN_PREFIXES.has(key.slice(0, Math.max(0, key.indexOf('/'))));
