import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Pod } from '@perigee/kubernetes/core/pod';
import type { MissingConfig } from './missing-config.ts';

/** Writes a Warning event for the missing references of a pod, as a kubelet does. */
export const tellMissing = (
  pod: Pod,
  { volumes, containers }: MissingConfig,
  { events }: Pick<ReconcileContext, 'events'>,
): void => {
  for (const message of volumes) events.warning(pod, 'FailedMount', message);
  if (volumes.length > 0) return;
  for (const message of containers.values()) events.warning(pod, 'Failed', `Error: ${message}`);
};
