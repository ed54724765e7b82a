import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Pod } from '@perigee/kubernetes/core/pod';
import type { MissingConfig } from './missing-config.ts';

/** Tells the users of a pod what it waits for, as a kubelet does. */
export const tellMissing = (
  pod: Pod,
  { volumes, containers }: MissingConfig,
  { events }: Pick<ReconcileContext, 'events'>,
): void => {
  for (const message of volumes) events.warning(pod, 'FailedMount', message);
  if (volumes.length > 0) return;
  for (const message of containers.values()) events.warning(pod, 'Failed', `Error: ${message}`);
};
