import type { Pod } from '@perigee/kubernetes/core/pod';

/** The annotation by which a pod says how it wants to be run. */
export const RUNTIME = 'member.perigee.io/runtime';

/** Whether a pod runs as processes: because it says so, or because all do and it does not object. */
export const runsAsProcesses = ({ metadata }: Pod, all: boolean): boolean => {
  const asked = metadata.annotations?.[RUNTIME];
  return asked === 'process' || (all && asked !== 'simulated');
};
