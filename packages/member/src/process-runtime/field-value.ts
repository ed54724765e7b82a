import type { Pod } from '@perigee/kubernetes/core/pod';
import { PodConfigError } from '../errors.ts';

/** Processes share the network of this machine. */
export const POD_IP = '127.0.0.1';

const KEYED = /^metadata\.(labels|annotations)\['(.+)'\]$/;

const lines = (map: { readonly [key: string]: string } = {}): string =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');

/** Value of a field of the downward API. */
export const fieldValue = ({ metadata, spec }: Pod, path: string, hostIP: string): string => {
  const [, map, key = ''] = KEYED.exec(path) ?? [];
  if (map === 'labels' || map === 'annotations') {
    const values = metadata[map] ?? {};
    // Every object of JavaScript has a "constructor".
    return Object.hasOwn(values, key) ? (values[key] ?? '') : '';
  }
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid;
    case 'metadata.labels':
      return lines(metadata.labels);
    case 'metadata.annotations':
      return lines(metadata.annotations);
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return (spec as { readonly serviceAccountName?: string }).serviceAccountName ?? 'default';
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIP;
    case 'status.podIP':
    case 'status.podIPs':
      return POD_IP;
    default:
      throw new PodConfigError(`the field ${path} cannot be told to a process`, {
        isLasting: true,
      });
  }
};
