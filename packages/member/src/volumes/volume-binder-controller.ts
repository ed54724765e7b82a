import { parseTime } from '@perigee/api/values/time';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';

export interface VolumeOptions {
  /** From the creation of a claim to its volume. */
  readonly volumeMs?: number;
}

/** Gives every claim what it asks for, after a while. There is no volume behind it. */
export const volumeBinderController = ({
  volumeMs = 1000,
}: VolumeOptions = {}): ControllerDefinition =>
  defineController({
    name: 'persistentvolume-binder-controller',
    for: PersistentVolumeClaim,
    when: (now) => now !== undefined && now.status?.phase !== 'Bound',
    concurrency: 8,
    reconcile: async (ref, { cache, client, clock }) => {
      const claim = cache(PersistentVolumeClaim).get(ref);
      if (claim === undefined || claim.status?.phase === 'Bound') return undefined;
      const left = parseTime(claim.metadata.creationTimestamp) + volumeMs - clock.now();
      if (left > 0) return { requeueAfterMs: left };
      const volumeName = claim.spec?.volumeName || `pvc-${claim.metadata.uid}`;
      const named =
        claim.spec?.volumeName === volumeName
          ? claim
          : await client.update(PersistentVolumeClaim, {
              ...claim,
              spec: { ...claim.spec, volumeName },
            });
      const { accessModes = [], resources } = claim.spec ?? {};
      const status = { phase: 'Bound', accessModes, capacity: resources?.requests ?? {} };
      await replaceStatus(client, PersistentVolumeClaim, named, status);
      return undefined;
    },
  });
