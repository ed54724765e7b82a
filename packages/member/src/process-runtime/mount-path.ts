import { resolve } from 'node:path';
import { isAtOrBelow } from '../isolation/sandbox-layout.ts';
import type { ProcessContainer, VolumeMount } from '../processes/process-spec.ts';

/** Absolute mount path in the container. */
export const mountPathOf = ({ mountPath }: Pick<VolumeMount, 'mountPath'>): string =>
  resolve('/', `./${mountPath}`);

/** True for paths inside of a volume mount. */
export const isMounted = ({ volumeMounts = [] }: ProcessContainer, path: string): boolean =>
  volumeMounts.some((mount) => isAtOrBelow(path, mountPathOf(mount)));

/** The path of a container's termination message. */
export const messagePathOf = ({ terminationMessagePath }: ProcessContainer): string =>
  resolve('/', `./${terminationMessagePath || '/dev/termination-log'}`);
