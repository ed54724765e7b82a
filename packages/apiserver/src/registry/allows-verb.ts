import type { ServedResource } from '../resource/served-resource.ts';

/**
 * True if a resource supports the verb. For a definition under deletion, discovery lists deletions only, yet its
 * objects must remain writable, to remove their finalizers.
 */
export const allowsVerb = ({ verbs, origin }: ServedResource, verb: string): boolean =>
  verbs.includes(verb) || (origin === 'crd' && (verb === 'update' || verb === 'patch'));
