import type { Pod } from '@perigee/kubernetes/core/pod';

/** The name of an index of pods. */
export const BY_NODE = 'node-name';

export const nodeNameOf = ({ spec }: Pod): readonly string[] =>
  spec.nodeName ? [spec.nodeName] : [];
