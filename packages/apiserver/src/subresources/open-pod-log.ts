import { objectAt, textAt } from '@perigee/schema/json-fields';
import { getObject } from '../registry/get.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { unknownResource } from '../status/request-refusals.ts';
import { chooseContainer, containerIdFor } from './pod-log-container.ts';
import type { PodLogOptions } from './pod-log-options.ts';

/** Opens the log of a container; empty for a pod without a node, which has not started. */
export const openPodLog = (
  registry: Registry,
  resource: ServedResource,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
  { previous, ...options }: PodLogOptions,
  signal: AbortSignal,
): AsyncIterable<Buffer> | undefined => {
  const read = registry.podLogs?.read;
  if (read === undefined) throw unknownResource();
  const pod = getObject(registry, resource, { namespace, name });
  const container = chooseContainer(pod, options.container);
  if (textAt(objectAt(pod, 'spec'), 'nodeName') === '') return undefined;
  const containerID = containerIdFor(pod, container, previous);
  const { uid } = storedMetaOf(pod);
  return read({ ...options, namespace, name, uid, container, containerID, signal });
};
