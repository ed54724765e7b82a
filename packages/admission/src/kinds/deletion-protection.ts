import { Queue } from '@perigee/api/kinds/queues/queue';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { queueDeletionProblem } from '@perigee/scheduling/queues/queue-problems';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';

/** The label by which users protect objects of the control plane, and its value. */
export const DELETION_PROTECTED = 'resourcetemplate.karmada.io/deletion-protected';
const ALWAYS = 'Always';

const QUEUE = apiVersionOf(Queue);

const isQueue = ({ apiVersion, kind }: JsonObject): boolean =>
  apiVersion === QUEUE && kind === Queue.kind;

/** Why an object is not to be deleted, in the words that users of Karmada look for; nothing when it may be. */
export const deletionProblem = (object: JsonObject, queues?: QueueFamily): string | undefined => {
  const { metadata } = object;
  const labels = isJsonObject(metadata) ? metadata.labels : undefined;
  if (queues !== undefined && isQueue(object)) {
    const why = queueDeletionProblem(object as never, queues);
    if (why !== undefined) return why;
  }
  return isJsonObject(labels) && labels[DELETION_PROTECTED] === ALWAYS
    ? `This resource is protected, please make sure to remove the label: ${DELETION_PROTECTED}`
    : undefined;
};
