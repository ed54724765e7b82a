import type { Reasons } from './reason.ts';

const WORKLOAD = 'WorkloadRebalancer: status.observedWorkloads[].reason';

/** The reasons for which a resource could not be scheduled afresh. */
export const rebalanceReasons = {
  ReferencedBindingNotFound: {
    of: WORKLOAD,
    means: 'The resource has no binding: it does not exist, or no policy propagates it.',
    todo: 'Check the name and the policy. Then remove the resource from the list and add it again.',
  },
} as const satisfies Reasons;
