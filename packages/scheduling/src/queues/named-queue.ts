import { formatResourceList, sumResourceLists } from '@perigee/api/values/resource-list';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { numberIn, objectIn, objectsIn, textIn } from '../interpreter/fields.ts';
import { podRequests } from '../interpreter/pod-requirements.ts';
import type { QueuedWork } from '../placement/binding/queue-marks.ts';
import { DEFAULT_QUEUE } from './queue-names.ts';
import { podsAsking } from './requests.ts';

/** The label or annotation of a workload that names its queue. */
const QUEUE_NAME = 'volcano.sh/queue-name';

/** The annotation that names the queue of a workload, or of every workload in a namespace. */
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

/**
 * The queue that the workload names: the pod template goes first, and labels go before annotations.
 */
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

/** Inputs to the choice of a queue besides the workload. */
export interface QueueDefaults {
  /** The annotations of the workload's namespace. */
  readonly namespace: { readonly [annotation: string]: string };
  /** Puts work that names no queue into the default queue. */
  readonly queueAll: boolean;
}

/** The queue of a workload and its demand; undefined if it is in none. */
export const queuedWork = (
  template: JsonObject,
  { namespace, queueAll }: QueueDefaults,
): QueuedWork | undefined => {
  const isJob = isVolcanoJob(template);
  const ownName = isJob ? ofVolcanoJob(template) : ownQueue(template);
  const queue =
    ownName || namespace[SCHEDULING_QUEUE_NAME] || (isJob || queueAll ? DEFAULT_QUEUE : undefined);
  if (!queue) return undefined;
  const priorityClassName =
    textIn(template, 'spec', 'priorityClassName') ||
    textIn(podTemplateOf(template), 'spec', 'priorityClassName');
  return {
    // Annotations may be long; no object name is longer than this.
    queue: queue.slice(0, LONGEST_NAME),
    ...present({
      priorityClassName:
        priorityClassName === '' ? undefined : priorityClassName.slice(0, LONGEST_NAME),
      requests: isJob ? formatResourceList(allPodsOf(template)) : undefined,
    }),
  };
};
