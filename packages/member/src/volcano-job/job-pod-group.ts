import type { Job } from '@perigee/api/kinds/groups/job';
import { minAvailableOfJob, minAvailableOfTask } from '@perigee/api/kinds/groups/job-min-available';
import type { PodGroupWritten } from '@perigee/api/kinds/groups/pod-group';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import {
  formatResourceList,
  type ResourceList,
  sumResourceLists,
} from '@perigee/api/values/resource-list';
import { podRequests } from '@perigee/scheduling/interpreter/pod-requirements';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { multiplyQuantity } from '@perigee/schema/values/quantity';
import { groupNameFor } from './job-pods.ts';

const timesList = (list: ResourceList, times: number): ResourceList =>
  new Map([...list].map(([name, amount]) => [name, multiplyQuantity(amount, times)]));

/** Resources of the minimum of pods: the tasks' minimums first, then as many others as are missing. */
const minResources = ({ spec }: Job): ResourceList => {
  let remainingMembers = minAvailableOfJob(spec);
  const lists: ResourceList[] = [];
  const take = (task: Job['spec']['tasks'][number], most: number): void => {
    const count = Math.max(0, Math.min(remainingMembers, most));
    remainingMembers -= count;
    if (count > 0) lists.push(timesList(podRequests(task.template.spec as JsonObject), count));
  };
  for (const task of spec.tasks) take(task, minAvailableOfTask(task));
  for (const task of spec.tasks) take(task, task.replicas - minAvailableOfTask(task));
  return sumResourceLists(lists);
};

/** The PodGroup of a job. */
export const makeJobPodGroup = (job: Job): PodGroupWritten => {
  const { metadata, spec } = job;
  const { namespace, labels, annotations } = metadata;
  const resources = formatResourceList(minResources(job));
  return {
    metadata: {
      name: groupNameFor(job),
      ...present({ namespace, labels, annotations }),
      ownerReferences: [ownerReferenceTo(job, { controller: true, blockOwnerDeletion: true })],
    },
    spec: {
      minMember: minAvailableOfJob(spec),
      minTaskMember: Object.fromEntries(
        spec.tasks.map((task) => [task.name, minAvailableOfTask(task)]),
      ),
      queue: spec.queue,
      ...present({
        minResources: Object.keys(resources).length === 0 ? undefined : resources,
        priorityClassName: spec.priorityClassName,
        networkTopology: spec.networkTopology,
      }),
    },
  };
};
