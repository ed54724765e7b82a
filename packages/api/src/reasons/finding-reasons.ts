import type { Reasons } from './reason.ts';

const FINDING = 'perigee explain: findings[].reason';

/** Findings of `perigee explain` on the way from a template to its pods, beside the reasons of conditions. */
export const findingReasons = {
  TemplateMissing: {
    of: FINDING,
    means: 'There is no such object in the control plane.',
    todo: 'Check its kind, name and namespace.',
  },
  TemplateGoing: { of: FINDING, means: 'The object is being deleted.' },
  ReservedNamespace: {
    of: FINDING,
    means: 'The namespace belongs to the control plane itself; nothing in it is propagated.',
    todo: 'Create the object in another namespace.',
  },
  OwnedByOthers: {
    of: FINDING,
    means: 'A label or annotation says that somebody else looks after the object.',
  },
  NoPolicy: {
    of: FINDING,
    means: 'No propagation policy selects the object, so that it stays in the control plane.',
    todo: 'Write a policy that selects it. Policies that come close are told with what keeps them apart.',
  },
  OtherPolicies: { of: FINDING, means: 'Several policies select the object; one of them has it.' },
  LazyPolicy: {
    of: FINDING,
    means:
      'Its policy is lazy and came after it: it takes effect with the next change of the object.',
    todo: 'Change the object, by an annotation for example.',
  },
  OverrideMissing: {
    of: FINDING,
    means: 'Its policy waits for override policies that do not exist.',
    todo: 'Create the override policies that the message names.',
  },
  PriorityClassMissing: {
    of: FINDING,
    means: 'Its policy names a PriorityClass that does not exist.',
    todo: 'Create the PriorityClass, or correct the policy.',
  },
  NameTaken: {
    of: FINDING,
    means: 'The binding of its name still belongs to an earlier object.',
    todo: 'Wait until the earlier one is gone from all clusters.',
  },
  NotDetected: {
    of: FINDING,
    means: 'A policy selects the object, and nobody has made its binding yet.',
    todo: 'Wait a moment; otherwise see whether the detector runs: `perigee status`.',
  },
  SchedulingSuspended: {
    of: FINDING,
    means: 'A user has suspended its scheduling in the binding.',
    todo: 'Take `spec.suspension.scheduling` of the binding away.',
  },
  OtherScheduler: {
    of: FINDING,
    means: 'The policy gives the work to a scheduler that does not run here.',
    todo: 'Start that scheduler, or create another policy: `schedulerName` of a policy stays.',
  },
  SchedulerNotActive: {
    of: FINDING,
    means: 'The Scheduler that has the work is not active.',
    todo: 'Look at `perigee ring` and at its process.',
  },
  NotDecided: {
    of: FINDING,
    means: 'No scheduler has decided about the work, or about its newest state, yet.',
    todo: 'Wait a moment; otherwise see whether the scheduler runs: `perigee status`.',
  },
  UnknownCluster: {
    of: FINDING,
    means: 'The policy names a cluster that does not exist.',
    todo: 'Correct the name in the policy, or register the cluster.',
  },
  LeftOut: {
    of: FINDING,
    means:
      'The policy names a cluster that the work is not in, because a filter turns that one away.',
    todo: 'See which filter; the cluster is used when it passes.',
  },
  StaysWhileUnfit: {
    of: FINDING,
    means: 'For what is wanted of it now there is no place, so that it stays where it is.',
    todo: 'See why no cluster fits.',
  },
  FollowsOthers: {
    of: FINDING,
    means: 'It has no policy of its own: it goes wherever work goes that needs it.',
  },
  LeavesCluster: {
    of: FINDING,
    means: 'It is being taken out of a cluster; the old copy stays until the new one is healthy.',
  },
  DispatchSuspended: {
    of: FINDING,
    means: 'Changes are not sent to the cluster: the policy or the binding suspends that.',
    todo: 'Take `suspension.dispatching` or the cluster in `dispatchingOnClusters` away.',
  },
  WorkNotWritten: {
    of: FINDING,
    means: 'The cluster was chosen, and there is no Work for it yet.',
    todo: 'Wait a moment; otherwise see whether the controller `binding` runs: `perigee status`.',
  },
  NotDelivered: {
    of: FINDING,
    means: 'The Work is written, and its cluster does not have it as it is now.',
    todo: 'The message says what it waits for.',
  },
  ApplyFailed: {
    of: FINDING,
    means: 'The member refused the object. The message is what the member said.',
    todo: 'Correct what the member complains about; it is tried again.',
  },
  ConflictInMember: {
    of: FINDING,
    means: 'The member has an object of that name, which Perigee did not put there.',
    todo: 'Set `conflictResolution: Overwrite` in the policy to take it over, or delete it in the member.',
  },
  NamespaceMissing: {
    of: FINDING,
    means: 'The member has no namespace for the object.',
    todo: 'Create it in the control plane, or let a policy propagate it.',
  },
  ClusterUnreachable: {
    of: FINDING,
    means: 'Nothing is heard of a cluster that has the work, or should have it.',
    todo: 'See `perigee explain cluster/NAME`.',
  },
  ClusterNotReady: {
    of: FINDING,
    means: 'A cluster that has the work, or should have it, is not well.',
    todo: 'See `perigee explain cluster/NAME`.',
  },
  ClusterMissing: {
    of: FINDING,
    means: 'The work is placed on a cluster that does not exist any more.',
  },
  ObjectMissing: {
    of: FINDING,
    means: 'The member does not have the object, though it was applied.',
    todo: 'Somebody deleted it there; it is applied again.',
  },
  ReplicasNotReady: {
    of: FINDING,
    means: 'Fewer replicas are ready than there should be.',
    todo: 'Look at the pods in the member.',
  },
  Unhealthy: {
    of: FINDING,
    means: 'The object is in the member, and not well there.',
    todo: 'Look at it in the member.',
  },
  QuotaExceeded: {
    of: FINDING,
    means: 'A ResourceQuota of the member does not let the pods be created.',
    todo: 'Raise the quota in the member, or ask for less.',
  },
  PodsRefused: {
    of: FINDING,
    means: 'The member refuses to create the pods. The message is what it said.',
    todo: 'Correct what the member complains about.',
  },
  PodUnschedulable: {
    of: FINDING,
    means: 'The scheduler of the member finds no node for the pods.',
    todo: 'Add room, ask for less, or loosen what the pods ask of nodes.',
  },
  ImageNotPulled: {
    of: FINDING,
    means: 'The image of a container cannot be pulled.',
    todo: 'Check its name, its tag, and the pull secret in the member.',
  },
  CrashLoop: {
    of: FINDING,
    means: 'A container ends again and again.',
    todo: 'Read its log in the member.',
  },
  ConfigMissing: {
    of: FINDING,
    means: 'The pods need a ConfigMap, a Secret or a volume that the member does not have.',
    todo: 'Set `propagateDeps: true` in the policy, or propagate it by a policy of its own.',
  },
  PodFailed: { of: FINDING, means: 'Pods have failed.', todo: 'Read their logs in the member.' },
  PodsStarting: { of: FINDING, means: 'Pods are starting; nothing is wrong with them so far.' },
  PodsNotReady: {
    of: FINDING,
    means: 'Containers run, and their readiness probes do not succeed.',
    todo: 'Look at the readiness probe and at the log of the container.',
  },
  ScaledToZero: {
    of: FINDING,
    means: 'It asks for no replicas.',
    todo: 'Scale it up.',
  },
  Paused: {
    of: FINDING,
    means:
      'The object itself says that it is to start nothing (`suspend`), or to roll nothing out (`paused`).',
    todo: 'Set that field to false.',
  },
  NoNodeSelected: {
    of: FINDING,
    means: 'No node of the member is one that the DaemonSet is for.',
    todo: 'Look at its node selector, its node affinity, and the taints that it tolerates.',
  },
  Overridden: {
    of: FINDING,
    means:
      'Override policies change the object for a cluster. The message says which, and what they change.',
  },
  UnknownWeight: {
    of: FINDING,
    means: 'The weights of the policy name a cluster that does not exist.',
    todo: 'Correct the name in `staticWeightList`.',
  },
  NamespaceSent: {
    of: FINDING,
    means: 'A namespace goes to all clusters without a policy.',
  },
  Finished: { of: FINDING, means: 'It ran to its end.' },
  WorkFailed: {
    of: FINDING,
    means: 'It ran, and failed.',
    todo: 'Read the logs of its pods in the member.',
  },
  NotReadable: {
    of: FINDING,
    means: 'A part could not be read, so that nothing is said about it.',
    todo: 'Ask for the right to read it, or ask somebody who has it.',
  },
} as const satisfies Reasons;

export type FindingReason = keyof typeof findingReasons;
