import type { Reasons } from './reason.ts';

const EVICTION = 'ResourceBinding, ClusterResourceBinding: spec.gracefulEvictionTasks[].reason';

/** The reasons for which work leaves a cluster. */
export const evictionReasons = {
  TaintUntolerated: {
    of: EVICTION,
    means: 'The cluster got a taint NoExecute that the work does not tolerate.',
    todo: 'Mend the cluster, or let the policy tolerate the taint.',
  },
  ApplicationFailure: {
    of: EVICTION,
    means: 'The application was unhealthy there for longer than the policy tolerates.',
    todo: 'Look at the application in that cluster.',
  },
  DataNotThere: {
    of: EVICTION,
    means:
      'The data that the work claims is not in the cluster, and the work moves to where it is.',
  },
  ClusterRemoved: {
    of: EVICTION,
    means: 'The cluster is being removed, and the work moves before it goes.',
  },
  Preempted: {
    of: EVICTION,
    means:
      'Its queue used more than it deserves, and other work needs the room. It waits in its queue again.',
  },
  Rescheduled: {
    of: EVICTION,
    means: 'The work was scheduled afresh; old replicas stay until the new ones are healthy.',
  },
} as const satisfies Reasons;

export type EvictionReason = keyof typeof evictionReasons;
