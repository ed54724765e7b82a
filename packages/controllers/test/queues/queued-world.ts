import { Job as VolcanoJob } from '@perigee/api/kinds/groups/job';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { findCondition } from '@perigee/api/values/conditions';
import { dataPlacementController } from '@perigee/controllers/data/data-placement-controller';
import { dataSchedulerController } from '@perigee/controllers/data/data-scheduler-controller';
import { gateController } from '@perigee/controllers/gate/gate-controller';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { dispatcherController } from '@perigee/controllers/queues/dispatcher-controller';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Job } from '@perigee/kubernetes/batch/job';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';

interface Parts {
  readonly client: Client;
  readonly clock: Clock;
}

/** All that has a say about when work in queues is scheduled. */
export const queueControllers = ({ client, clock }: Parts, isPreempting = false) => [
  detectorController({
    client,
    clock,
    interpreter: createInterpreter([...nativeKinds, ...frameworkKinds]),
  }),
  schedulerController(BINDING_KINDS[0]),
  dataSchedulerController(),
  dataPlacementController({ client, clock }),
  gateController(),
  gracefulEvictionController(BINDING_KINDS[0]),
  dispatcherController({ clock, isPreempting }),
];

const DIVIDED = {
  replicaSchedulingType: 'Divided',
  replicaDivisionPreference: 'Aggregated',
} as const;

export interface NewJob {
  readonly queue?: string;
  readonly cpu?: string;
  readonly pods?: number;
  readonly priorityClassName?: string;
  readonly labels?: { readonly [key: string]: string };
}

const podSpec = (cpu: string, priorityClassName?: string) => ({
  restartPolicy: 'Never',
  ...(priorityClassName === undefined ? {} : { priorityClassName }),
  containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }],
});

/** Actions on queues and their work, and assertions about them. */
export const queuedWorld = (client: Client, namespace = 'default') => {
  const here = (name: string) => ({ namespace, name });
  const merge = (body: object) => ({ type: 'merge', body }) as const;
  const binding = (name: string) => getOrUndefined(client, ResourceBinding, here(`${name}-job`));
  return {
    /** A policy for all Jobs of the namespace, of either kind. */
    policy: (replicaScheduling: object = DIVIDED, placement: object = {}) =>
      client.create(PropagationPolicy, {
        metadata: here('all'),
        spec: {
          resourceSelectors: [
            { apiVersion: 'batch/v1', kind: 'Job' },
            { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job' },
          ],
          placement: { replicaScheduling, ...placement },
        },
      } as never),
    queue: (name: string, spec: object = {}, annotations: { [key: string]: string } = {}) =>
      client.create(Queue, { metadata: { name, annotations }, spec } as never),
    editQueue: (name: string, body: object) => client.patch(Queue, { name }, merge(body)),
    job: (
      name: string,
      { queue, cpu = '1', pods = 1, priorityClassName, labels = {} }: NewJob = {},
    ) =>
      client.create(Job, {
        metadata: {
          ...here(name),
          labels: { ...labels, ...(queue === undefined ? {} : { 'volcano.sh/queue-name': queue }) },
        },
        spec: { parallelism: pods, template: { spec: podSpec(cpu, priorityClassName) } },
      } as never),
    volcanoJob: (name: string, tasks: readonly (readonly [pods: number, cpu: string])[]) =>
      client.create(VolcanoJob, {
        metadata: here(name),
        spec: {
          minAvailable: 1,
          tasks: tasks.map(([replicas, cpu], at) => ({
            name: `task-${at}`,
            replicas,
            minAvailable: 1,
            template: { spec: podSpec(cpu) },
          })),
        },
      } as never),
    edit: (name: string, body: object) => client.patch(Job, here(name), merge(body)),
    /** Deletes work, and lets its binding go, as if the members had let go of it. */
    async remove(name: string): Promise<void> {
      await client.delete(Job, here(name));
      const ref = here(`${name}-job`);
      await client.patch(ResourceBinding, ref, merge({ metadata: { finalizers: null } }));
      await client.delete(ResourceBinding, ref).catch(ignoreNotFound);
    },
    binding,
    /** Members say that the work has come to its end. */
    async finish(name: string, type = 'Complete'): Promise<void> {
      const { clusters = [] } = (await binding(name))?.spec ?? {};
      const aggregatedStatus = clusters.map(({ name: clusterName }) => ({
        clusterName,
        status: { conditions: [{ type, status: 'True' }] },
      }));
      await client.patch(
        ResourceBinding,
        here(`${name}-job`),
        merge({ status: { aggregatedStatus } }),
        { subresource: 'status' },
      );
    },
    /** In how many clusters work runs, or why not: `runs in 1` or `held WaitingForQuota`. */
    async told(name: string): Promise<string> {
      const found = await binding(name);
      if (found === undefined) return 'no binding';
      const { spec, status } = found;
      if (spec.suspension?.scheduling === true) {
        return `held ${findCondition(status?.conditions, 'Admitted')?.reason ?? '-'}`;
      }
      return `runs in ${(spec.clusters ?? []).length}`;
    },
    async message(name: string): Promise<string> {
      const { status } = (await binding(name)) ?? {};
      return findCondition(status?.conditions, 'Admitted')?.message ?? '-';
    },
    async status(name: string) {
      const { status = {} } = await client.get(Queue, { name });
      const { state, pending = 0, inqueue = 0, running = 0, completed = 0, allocated } = status;
      const counts = `${pending} ${inqueue} ${running} ${completed}`;
      return `${state} ${counts} ${JSON.stringify(allocated ?? {})}`;
    },
  };
};
