import type { MemberState, Reading, WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';

export const RESOURCE = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'web' };
const SINCE = '2026-01-01T00:00:00Z';

export const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: SINCE,
});

export const CLUSTER = {
  metadata: { name: 'm1' },
  spec: {},
  status: { conditions: [condition('Ready', 'True', 'ClusterReady')] },
};

/** Work in m1 that was applied there, of which nothing is ready. */
export const snapshotOf = (
  member: Reading<MemberState>,
  more: Partial<WorkSnapshot> = {},
  conditions: readonly object[] = [],
): WorkSnapshot =>
  ({
    resource: RESOURCE,
    nowMs: 0,
    template: { value: { ...RESOURCE, metadata: { namespace: 'a', name: 'web' } } },
    binding: {
      value: {
        metadata: {
          namespace: 'a',
          name: 'web-deployment',
          generation: 1,
          creationTimestamp: SINCE,
        },
        spec: {
          resource: RESOURCE,
          placement: {},
          replicas: 2,
          clusters: [{ name: 'm1', replicas: 2 }],
        },
        status: {
          schedulerObservedGeneration: 1,
          conditions: [condition('Scheduled', 'True', 'Success'), ...conditions],
          aggregatedStatus: [
            { clusterName: 'm1', applied: true, health: 'Unhealthy', status: { replicas: 2 } },
          ],
        },
      },
    },
    policies: { value: [] },
    arePoliciesComplete: true,
    overrides: { value: [] },
    priorityClasses: { value: new Map() },
    claims: { value: [] },
    schedulers: { value: [] },
    clusters: { value: [CLUSTER] },
    world: { clusters: [], rules: standardRules },
    isRoomHidden: false,
    works: { value: [] },
    members: new Map([['m1', member]]),
    ...more,
  }) as never;

export const READY = { clusterName: 'm1', applied: true, health: 'Healthy' };

/** The work of `snapshotOf`, with other fields of its binding. */
export const withBinding = (
  spec: object,
  aggregatedStatus: readonly object[],
  more: Partial<WorkSnapshot> = {},
): WorkSnapshot => {
  const snapshot = snapshotOf({ value: { object: {}, pods: [], warnings: [] } }, more);
  const { value } = snapshot.binding as {
    readonly value: { readonly spec: object; readonly status: object };
  };
  const binding = {
    ...value,
    spec: { ...value.spec, ...spec },
    status: { ...value.status, aggregatedStatus },
  };
  return { ...snapshot, binding: { value: binding } } as never;
};
