import type { ServedResource } from '../resource/served-resource.ts';

/**
 * True if the objects of a resource may be treated so. Of a definition on its way out discovery tells
 * only what ends objects, yet they must remain writable: how else would they lose their finalizers.
 */
export const allowsVerb = ({ verbs, origin }: ServedResource, verb: string): boolean =>
  verbs.includes(verb) || (origin === 'crd' && (verb === 'update' || verb === 'patch'));
