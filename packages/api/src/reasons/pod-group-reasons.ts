import type { ReasonsOfKind } from './reason.ts';

/** The conditions of a group of pods in virtual members, and their reasons. Those that Volcano has are the same. */
export const podGroupReasons = {
  of: 'PodGroup',
  conditions: {
    Unschedulable: {
      NotEnoughTasks: {
        means: 'There are fewer pods than must be able to start.',
        todo: 'Look at the workload that makes the pods, or lower minMember.',
      },
      NotEnoughResources: {
        means:
          'Some pods that must be able to start find no node. The message says what is missing.',
        todo: 'Add what the message names, ask for less, or wait: the group starts when there is room.',
      },
    },
    Scheduled: {
      EnoughPodsScheduled: { means: 'Enough pods have nodes.' },
    },
  },
} as const satisfies ReasonsOfKind;
