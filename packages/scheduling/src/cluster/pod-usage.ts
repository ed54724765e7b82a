import type { JsonObject } from '@perigee/api/json';
import { quantityOf } from '@perigee/api/values/quantity';
import type { ResourceList } from '@perigee/api/values/resource-list';
import { objectIn, textIn } from '../interpreter/fields.ts';
import { podRequests } from '../interpreter/pod-requirements.ts';

/** What a pod takes up. */
export interface PodUsage {
  /** Absent while the pod waits for a node. */
  readonly node?: string;
  /** Itself included, as one of `pods`. */
  readonly requests: ResourceList;
}

const FINISHED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);
const ONE = quantityOf(1);

/** What a pod takes up; nothing when it has finished. */
export const podUsage = (pod: JsonObject): PodUsage | undefined => {
  if (FINISHED.has(textIn(pod, 'status', 'phase'))) return undefined;
  const node = textIn(pod, 'spec', 'nodeName');
  const requests = new Map([...podRequests(objectIn(pod, 'spec')), ['pods', ONE] as const]);
  return node === '' ? { requests } : { node, requests };
};
