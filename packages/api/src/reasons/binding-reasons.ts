import type { ReasonsOfKind } from './reason.ts';

/** The conditions of both kinds of binding, and their reasons. */
export const bindingReasons = {
  of: 'ResourceBinding, ClusterResourceBinding',
  conditions: {
    Scheduled: {
      Success: { means: 'The work has its clusters.' },
      HandedOver: { means: 'One scheduler found no place for it, and another one is asked.' },
      NoClusterFit: {
        means:
          'Filters turned away every cluster. The message counts why. Work that runs stays where it is.',
        todo: 'Run `perigee explain` for each cluster’s verdict. It is tried again when a cluster changes.',
      },
      Unschedulable: {
        means:
          'Some clusters fit, but not as the policy wants: too little room, or too few places to spread over. Or none that the policy wants has all of the data that the work claims.',
        todo: 'Add room, ask for less, or loosen the spread constraints; bring the data to a cluster of the policy. It is tried again when a cluster or the data changes.',
      },
    },
    Admitted: {
      Admitted: { means: 'Nothing holds the work back: it may be scheduled.' },
      WaitingForData: {
        means:
          'A claim of the work has no data yet, so that it is not scheduled. What runs already stays where it is.',
        todo: 'Look at the condition Bound of the claim that the message names.',
      },
      WaitingForQuota: {
        means:
          'Its queue, or one above it, has not enough left. The message says of which resource, and how much is missing.',
        todo: 'Wait for other work of the queue to end, or ask for a larger share. Run `perigee queue why` for its place in the line.',
      },
      WaitingForCapacity: {
        means:
          'Its queue would let it through, but no clusters where it may run have room for all of it now.',
        todo: 'Wait, add room, or let it run in more clusters. It is looked at again when a cluster has more room.',
      },
      WaitingForTurn: {
        means: 'Other work of its queue is before it.',
        todo: 'Run `perigee queue why` for its place in the line.',
      },
      QueueClosed: {
        means:
          'Its queue, or one above it, is closed: what it has runs on, and nothing new begins.',
        todo: 'Open the queue, or name another one.',
      },
      QueueUnusable: {
        means:
          'The queue that it names does not exist, has queues below it, or is not for its namespace. The message says which.',
        todo: 'Name another queue, or have an operator make it, or open it for the namespace.',
      },
      Suspended: {
        means: 'It is in a queue, and a user has suspended its scheduling.',
        todo: 'Take `spec.suspension.scheduling` away when it may run.',
      },
      Preempted: {
        means:
          'What it had was taken back for the work that the message names. It waits in its queue again.',
        todo: 'Wait, or have more deserved for its queue. Run `perigee queue why` for its place in the line.',
      },
      NeverFits: {
        means:
          'It asks for more than its queue may ever use, or than any cluster where it may run has. It holds up nobody else.',
        todo: 'Ask for less, or enlarge what the message names.',
      },
    },
    FullyApplied: {
      FullyAppliedSuccess: { means: 'Every cluster has what it should have.' },
      FullyAppliedFailed: {
        means: 'At least one cluster does not have it yet.',
        todo: 'Look at the condition Applied of its Works.',
      },
    },
    Gang: {
      GangsStarted: { means: 'Its pods are in groups, and each group has what it needs.' },
      GangsWait: {
        means:
          'In some member its pods wait until enough of them can start together. The message says where, and what is missing.',
        todo: 'Add what is missing there, ask for less, or lower the minimum of the group.',
      },
    },
    WorksWritten: {
      WorksWritten: { means: 'What was refused before is in order again.' },
      OverrideRefused: {
        means:
          'An override policy cannot be applied, or would make another object of it. The clusters that the message names keep what they have.',
        todo: 'Correct the override policy that the message names.',
      },
      IdentityChanged: {
        means:
          'What would be sent is not the object that the binding is about. The clusters that the message names keep what they have.',
        todo: 'Look at who wrote the binding, and at the ResourceInterpreterCustomization of the kind.',
      },
      WorkOfAnother: {
        means: 'A Work of the name that is needed carries something else.',
        todo: 'Delete or rename the Work that the message names.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
