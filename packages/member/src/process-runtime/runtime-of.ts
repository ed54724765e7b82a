import type { Pod } from '@perigee/kubernetes/core/pod';

/** Annotation of pods that selects the runtime. */
export const RUNTIME = 'member.perigee.io/runtime';

/** True for pods that ask for processes, or do not object where all run so. */
export const runsAsProcesses = ({ metadata }: Pod, all: boolean): boolean => {
  const runtimeName = metadata.annotations?.[RUNTIME];
  return runtimeName === 'process' || (all && runtimeName !== 'simulated');
};
