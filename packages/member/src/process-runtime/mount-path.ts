import { resolve } from 'node:path';
import { isAtOrBelow } from '../isolation/sandbox-layout.ts';
import type { ProcessContainer, VolumeMount } from './process-spec.ts';

/** The path at which a container has a volume, from its root. */
export const mountPathOf = ({ mountPath }: Pick<VolumeMount, 'mountPath'>): string =>
  resolve('/', `./${mountPath}`);

/** Whether a path of a container is in one of its volumes. */
export const isMounted = ({ volumeMounts = [] }: ProcessContainer, path: string): boolean =>
  volumeMounts.some((mount) => isAtOrBelow(path, mountPathOf(mount)));

/** The path at which a container may say why it ended. */
export const messagePathOf = ({ terminationMessagePath }: ProcessContainer): string =>
  resolve('/', `./${terminationMessagePath || '/dev/termination-log'}`);
