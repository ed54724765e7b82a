import { createHash } from 'node:crypto';
import type { Pod } from '@perigee/kubernetes/core/pod';

/** Names a container of a pod, and each of its restarts, in files. */
export const containerId = ({ metadata }: Pod, name: string, restart: number): string =>
  createHash('sha256').update(`${metadata.uid}/${name}/${restart}`).digest('hex');

const SCHEME = 'process://';

export const formatContainerId = (id: string): string => SCHEME + id;

/** Parses a file name; undefined for other files. */
export const parseContainerId = (text: string): string | undefined =>
  text.startsWith(SCHEME) && /^[0-9a-f]{64}$/.test(text.slice(SCHEME.length))
    ? text.slice(SCHEME.length)
    : undefined;
