import type { Pod } from '../kinds/pod.ts';

/** The name of an index of pods. */
export const BY_NODE = 'node-name';

export const nodeNameOf = ({ spec }: Pod): readonly string[] =>
  spec.nodeName ? [spec.nodeName] : [];
