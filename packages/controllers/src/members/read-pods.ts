import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { Job } from '@perigee/kubernetes/batch/job';
import { Event } from '@perigee/kubernetes/core/event';
import { Pod } from '@perigee/kubernetes/core/pod';
import { objectIn, objectsIn, textIn } from '@perigee/scheduling/interpreter/fields';
import type { JsonObject } from '@perigee/schema/json';

/** Maximum numbers of pods of a workload, and of warnings of its namespace, that are read in a member. */
const MOST_PODS = 500;

const labelsText = (labels: JsonObject): string | undefined => {
  const parts = Object.entries(labels).flatMap(([key, value]) =>
    typeof value === 'string' ? [`${key}=${value}`] : [],
  );
  return parts.length === 0 ? undefined : parts.join();
};

/** The labels of the pods of a workload; undefined for kinds whose pods cannot be selected by label. */
const podLabels = ({ kind, name }: NamedResource, object: JsonObject): string | undefined => {
  const selector = labelsText(objectIn(object, 'spec', 'selector', 'matchLabels'));
  if (selector !== undefined) return selector;
  if (kind === 'Job' && textIn(object, 'apiVersion').startsWith('batch.volcano.sh/')) {
    return `volcano.sh/job-name=${name}`;
  }
  return kind === 'Job' ? `job-name=${name}` : undefined;
};

const isOwnedBy = (owned: JsonObject, owner: JsonObject): boolean =>
  objectsIn(owned, 'metadata', 'ownerReferences').some(
    ({ uid }) => uid === objectIn(owner, 'metadata').uid,
  );

/** The label of the pods of the newest Job of a CronJob, and of those that run; undefined before its first one. */
const cronLabels = async (
  client: Client,
  namespace: string,
  cronJob: JsonObject,
  options: CallOptions,
): Promise<string | undefined> => {
  // No selector finds the Jobs of an owner, so those of the whole namespace are read.
  const { items } = await listAll(client, Job, { ...options, namespace });
  const jobs = (items as unknown as readonly JsonObject[])
    .filter((job) => isOwnedBy(job, cronJob))
    .toSorted((a, b) => createdAt(b).localeCompare(createdAt(a)));
  const names = jobs
    .filter((job, at) => at === 0 || Number(objectIn(job, 'status').active ?? 0) > 0)
    .map((job) => textIn(job, 'metadata', 'name'));
  return names.length === 0 ? undefined : `job-name in (${names.join()})`;
};

const createdAt = (object: JsonObject): string => textIn(object, 'metadata', 'creationTimestamp');

/** The pods of a workload in a member, up to a limit. */
export const podsOf = async (
  client: Client,
  resource: NamedResource,
  object: JsonObject,
  options: CallOptions = {},
): Promise<readonly JsonObject[]> => {
  if (resource.kind === 'Pod') return [object];
  const { namespace } = resource;
  if (namespace === undefined) return [];
  const labelSelector =
    resource.kind === 'CronJob'
      ? await cronLabels(client, namespace, object, options)
      : podLabels(resource, object);
  if (labelSelector === undefined) return [];
  const { items } = await client.list(Pod, {
    ...options,
    namespace,
    labelSelector,
    limit: MOST_PODS,
  });
  return items as unknown as readonly JsonObject[];
};

/** Warning Events about the object and its children, by name prefix; read only if it is unhealthy. */
export const warningsOf = async (
  client: Client,
  { namespace, name }: NamedResource,
  callOptions: CallOptions = {},
): Promise<readonly JsonObject[]> => {
  if (namespace === undefined) return [];
  const fieldSelector = 'type=Warning';
  const options = { ...callOptions, namespace, fieldSelector, limit: MOST_PODS };
  const { items } = await client.list(Event, options);
  const events = items as unknown as readonly JsonObject[];
  return events
    .filter((event) => {
      const about = textIn(event, 'involvedObject', 'name');
      return about === name || about.startsWith(`${name}-`);
    })
    .toSorted((a, b) => (textIn(a, 'lastTimestamp') < textIn(b, 'lastTimestamp') ? -1 : 1));
};
