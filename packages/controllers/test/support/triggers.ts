import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { scheduleTriggerController } from '@perigee/controllers/placement/triggers/schedule-trigger-controller';
import type { Client } from '@perigee/kube/client/client';
import type { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { addReadyCluster } from './bindings.ts';
import { type ControlPlaneOptions, startControlPlane } from './control-plane.ts';

export const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;

/** A control plane with a scheduler and triggers, and two clusters. */
export const startTriggers = async (options: Partial<ControlPlaneOptions> = {}) => {
  const plane = await startControlPlane({
    controllers: [
      ...BINDING_KINDS.map((kind) => schedulerController(kind)),
      scheduleTriggerController(),
    ],
    ...options,
  });
  await addReadyCluster(plane.client, 'm1');
  await addReadyCluster(plane.client, 'm2');
  return plane;
};

/** Divided by the room that clusters have, so that it moves only when asked. */
export const DIVIDED = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
};

export interface NewWork {
  readonly namespace?: string;
  readonly policy?: string;
  readonly spec?: object;
}

/** A binding as the detector makes it, for a Deployment of four replicas. */
export const addWork = (
  client: Client,
  name: string,
  { namespace = 'default', policy = 'p', spec = {} }: NewWork = {},
) =>
  client.create(ResourceBinding, {
    metadata: {
      namespace,
      name: `${name}-deployment`,
      labels: { 'propagationpolicy.karmada.io/permanent-id': policy },
      annotations: {
        'propagationpolicy.karmada.io/namespace': namespace,
        'propagationpolicy.karmada.io/name': policy,
      },
    },
    spec: {
      resource: { ...DEPLOYMENT, namespace, name },
      replicas: 4,
      replicaRequirements: { resourceRequest: { cpu: '1' } },
      placement: DIVIDED,
      ...spec,
    } as never,
  });

export const sharesOf = async (client: Client, name: string, namespace = 'default') => {
  const { spec } = await client.get(ResourceBinding, { namespace, name: `${name}-deployment` });
  return (spec.clusters ?? []).map((one) => `${one.name}:${one.replicas ?? 0}`).join(' ');
};

export const addTrigger = (client: Client, name: string, spec: object) =>
  client.create(ScheduleTrigger, { metadata: { name }, spec: spec as never });

export const triggerOf = (client: Client, name: string) => client.get(ScheduleTrigger, { name });

/** Without room, as a cluster that is lost would be. */
export const setRoom = async (client: Client, name: string, cpu: string): Promise<void> => {
  const allocatable = { cpu, memory: '100Gi', pods: '100000' };
  const body = { status: { resourceSummary: { allocatable } } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
};

/** Time passes until the trigger has come to an end. */
export const ended = async (
  { client, clock }: { readonly client: Client; readonly clock: VirtualClock },
  name: string,
  mostSeconds = 60,
) => {
  for (let second = 0; second < mostSeconds; second += 1) {
    await clock.advance(1000);
    const trigger = await triggerOf(client, name);
    if (trigger.status?.finishTime !== undefined) return trigger;
  }
  return triggerOf(client, name);
};

export const resultsOf = ({ status }: ScheduleTrigger): readonly string[] =>
  (status?.targets ?? []).map(({ name, result, reason }) =>
    [name, result, reason].filter(Boolean).join(' '),
  );
