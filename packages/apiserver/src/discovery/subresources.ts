import type { ServedResource } from '../resource/served-resource.ts';

export interface Subresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Built-in kinds have more than a status and a scale, and name them all. */
interface WithSubresources extends ServedResource {
  readonly subresources?: readonly Subresource[];
}

const VERBS = ['get', 'patch', 'update'];

/** The parts of an object that have an address of their own, and the kind that they speak. */
export const subresourcesOf = (resource: WithSubresources): readonly Subresource[] => {
  const { group, version, kind, hasStatus, scale, subresources } = resource;
  if (subresources !== undefined) return subresources;
  return [
    ...(hasStatus ? [{ name: 'status', group, version, kind, verbs: VERBS }] : []),
    ...(scale
      ? [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: VERBS }]
      : []),
  ];
};
