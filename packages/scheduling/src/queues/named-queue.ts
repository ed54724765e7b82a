import type { JsonObject } from '@perigee/api/json';
import { formatResourceList, sumResourceLists } from '@perigee/api/values/resource-list';
import { numberIn, objectIn, objectsIn, textIn } from '../interpreter/fields.ts';
import { podRequests } from '../interpreter/pod-requirements.ts';
import type { QueuedWork } from './queue-marks.ts';
import { DEFAULT_QUEUE } from './queue-names.ts';
import { podsAsking } from './requests.ts';

/** The label and annotation by which work names its queue. */
const QUEUE_NAME = 'volcano.sh/queue-name';

/** The annotation by which work, and a namespace for all that is in it, names a queue. */
const SCHEDULING_QUEUE_NAME = 'scheduling.volcano.sh/queue-name';

const LONGEST_NAME = 253;

const isVolcanoJob = ({ apiVersion, kind }: JsonObject): boolean =>
  kind === 'Job' && typeof apiVersion === 'string' && apiVersion.startsWith('batch.volcano.sh/');

const podTemplateOf = (template: JsonObject): JsonObject => {
  const inner = objectIn(template, 'spec', 'template');
  return Object.keys(inner).length > 0
    ? inner
    : objectIn(template, 'spec', 'jobTemplate', 'spec', 'template');
};

/** The queue that work names itself: its pods first, by label before annotation. */
const ownQueue = (template: JsonObject): string => {
  const pods = podTemplateOf(template);
  return (
    textIn(pods, 'metadata', 'labels', QUEUE_NAME) ||
    textIn(template, 'metadata', 'labels', QUEUE_NAME) ||
    textIn(pods, 'metadata', 'annotations', QUEUE_NAME) ||
    textIn(template, 'metadata', 'annotations', QUEUE_NAME) ||
    textIn(pods, 'metadata', 'annotations', SCHEDULING_QUEUE_NAME) ||
    textIn(template, 'metadata', 'annotations', SCHEDULING_QUEUE_NAME)
  );
};

const ofVolcanoJob = (job: JsonObject): string => {
  const queue = textIn(job, 'spec', 'queue') || DEFAULT_QUEUE;
  return queue === DEFAULT_QUEUE ? ownQueue(job) : queue;
};

const allPodsOf = (job: JsonObject) =>
  sumResourceLists(
    objectsIn(job, 'spec', 'tasks').map((task) =>
      podsAsking(podRequests(objectIn(task, 'template', 'spec')), numberIn(task, 'replicas') ?? 0),
    ),
  );

/** What decides about a queue beside the work itself. */
export interface QueueDefaults {
  /** The annotations of the namespace of the work. */
  readonly namespace: { readonly [annotation: string]: string };
  /** Whether work that names no queue is in the default one. */
  readonly queueAll: boolean;
}

/** The queue of work, and what it asks for there; nothing when it is in none. */
export const queuedWork = (
  template: JsonObject,
  { namespace, queueAll }: QueueDefaults,
): QueuedWork | undefined => {
  const isJob = isVolcanoJob(template);
  const named = isJob ? ofVolcanoJob(template) : ownQueue(template);
  const queue =
    named || namespace[SCHEDULING_QUEUE_NAME] || (isJob || queueAll ? DEFAULT_QUEUE : undefined);
  if (!queue) return undefined;
  const priorityClassName =
    textIn(template, 'spec', 'priorityClassName') ||
    textIn(podTemplateOf(template), 'spec', 'priorityClassName');
  return {
    // Annotations of tenants may be long, and no object is called so.
    queue: queue.slice(0, LONGEST_NAME),
    ...(priorityClassName === ''
      ? {}
      : { priorityClassName: priorityClassName.slice(0, LONGEST_NAME) }),
    ...(isJob ? { requests: formatResourceList(allPodsOf(template)) } : {}),
  };
};
