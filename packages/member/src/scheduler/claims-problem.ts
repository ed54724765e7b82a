import type { CachedObjects } from '@perigee/kube/controller/cached-objects';
import type { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import type { Pod } from '@perigee/kubernetes/core/pod';

/** The reason why volumes of a pod keep it from being scheduled, in the words of kube-scheduler. */
export const claimsProblem = (
  { metadata: { namespace = '' }, spec }: Pod,
  claims: CachedObjects<PersistentVolumeClaim>,
): string | undefined => {
  for (const { persistentVolumeClaim } of spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName: name } = persistentVolumeClaim;
    const claim = claims.get({ namespace, name });
    if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined) {
      return `persistentvolumeclaim "${name}" is being deleted`;
    }
    if (claim.status?.phase !== 'Bound') {
      return 'pod has unbound immediate PersistentVolumeClaims';
    }
  }
  return undefined;
};
