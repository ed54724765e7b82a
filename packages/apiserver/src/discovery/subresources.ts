import type { ServedResource } from '../resource/served-resource.ts';

export interface Subresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const VERBS = ['get', 'patch', 'update'];

/** The parts of an object that have an address of their own, and the kind that they speak. */
export const subresourcesOf = (resource: ServedResource): readonly Subresource[] => {
  const { group, version, kind, hasStatus, scale } = resource;
  return [
    ...(hasStatus ? [{ name: 'status', group, version, kind, verbs: VERBS }] : []),
    ...(scale
      ? [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: VERBS }]
      : []),
  ];
};
