import type { Pod } from '@perigee/kubernetes/core/pod';

export const BY_NODE = 'node-name';

export const nodeNameOf = ({ spec }: Pod): readonly string[] =>
  spec.nodeName ? [spec.nodeName] : [];
