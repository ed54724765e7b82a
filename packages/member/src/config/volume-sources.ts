import type { Pod } from '@perigee/kubernetes/core/pod';
import { present } from '@perigee/schema/present';
import {
  type KeyedSource,
  type ProcessVolume,
  type ProjectedSource,
  processSpecOf,
} from '../processes/process-spec.ts';

/** The sources that make up a volume, in order. */
export const sourcesOf = ({
  configMap,
  secret,
  downwardAPI,
  projected,
}: ProcessVolume): readonly ProjectedSource[] => {
  const secretSource: KeyedSource | undefined = secret && {
    ...secret,
    name: secret.secretName ?? '',
  };
  return projected?.sources ?? [present({ configMap, secret: secretSource, downwardAPI })];
};

/** The volumes that a container mounts; a kubelet ignores the others. */
export const mountedVolumes = (pod: Pod): readonly ProcessVolume[] => {
  const { volumes = [], containers, initContainers = [] } = processSpecOf(pod);
  const names = new Set(
    [...initContainers, ...containers].flatMap(({ volumeMounts = [] }) =>
      volumeMounts.map(({ name }) => name),
    ),
  );
  return volumes.filter(({ name }) => names.has(name));
};
