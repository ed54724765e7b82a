import type { Reasons } from './reason.ts';

const SCHEDULED = 'ResourceBinding, ClusterResourceBinding: Scheduled';
const READY = 'Cluster (cluster.karmada.io): Ready';
const DRAINED = 'Cluster (cluster.karmada.io): Drained';
const APIS = 'Cluster (cluster.karmada.io): CompleteAPIEnablements';
const RECORD = 'Cluster (globalscheduler.com): Ready';
const TARGET = 'Cluster (globalscheduler.com): ExecutionTarget';
const SCHEDULER = 'Scheduler: Available';
const UNION = 'Scheduler: UnionExact';
const HOME = 'Cluster (globalscheduler.com): HomeScheduler';
const AMOUNTS = 'Cluster (globalscheduler.com): AmountsKnown';
const APPLIED = 'Work: Applied';
const DISPATCHING = 'Work: Dispatching';
const FULLY_APPLIED = 'ResourceBinding, ClusterResourceBinding: FullyApplied';
const WORKS = 'ResourceBinding, ClusterResourceBinding: WorksWritten';
const EVICTION = 'ResourceBinding, ClusterResourceBinding: spec.gracefulEvictionTasks[].reason';

/** The reasons in conditions, and of evictions. */
export const conditionReasons = {
  Success: { of: SCHEDULED, means: 'The work has its clusters.' },
  HandedOver: {
    of: SCHEDULED,
    means: 'One scheduler found no place for it, and another one is asked.',
  },
  NoClusterFit: {
    of: SCHEDULED,
    means: 'Filters turned away every cluster. The message counts why.',
    todo: 'Run `perigee explain` for each cluster’s verdict. It is tried again when a cluster changes.',
  },
  Unschedulable: {
    of: SCHEDULED,
    means:
      'Some clusters fit, but not as the policy wants: too little room, or too few places to spread over.',
    todo: 'Add room, ask for less, or loosen the spread constraints. It is tried again when a cluster changes.',
  },
  FullyAppliedSuccess: { of: FULLY_APPLIED, means: 'Every cluster has what it should have.' },
  FullyAppliedFailed: {
    of: FULLY_APPLIED,
    means: 'At least one cluster does not have it yet.',
    todo: 'Look at the condition Applied of its Works.',
  },
  WorksWritten: { of: WORKS, means: 'What was refused before is in order again.' },
  OverrideRefused: {
    of: WORKS,
    means:
      'An override policy cannot be applied, or would make another object of it. The clusters that the message names keep what they have.',
    todo: 'Correct the override policy that the message names.',
  },
  IdentityChanged: {
    of: WORKS,
    means:
      'What would be sent is not the object that the binding is about. The clusters that the message names keep what they have.',
    todo: 'Look at who wrote the binding, and at the ResourceInterpreterCustomization of the kind.',
  },
  WorkOfAnother: {
    of: WORKS,
    means: 'A Work of the name that is needed carries something else.',
    todo: 'Delete or rename the Work that the message names.',
  },
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
  ClusterRemoved: {
    of: EVICTION,
    means: 'The cluster is being removed, and the work moves before it goes.',
  },
  ObjectsLeft: {
    of: 'Cluster (cluster.karmada.io): Leftovers',
    means: 'An earlier registration of the cluster left objects there that no Work names.',
    todo: 'Let a policy place them there again, which takes them over, or delete them in the cluster.',
  },
  WorkLeaving: {
    of: DRAINED,
    means: 'The cluster is being removed, and goes when its work has moved elsewhere.',
  },
  WorkStays: {
    of: DRAINED,
    means: 'The cluster is to be removed, and some of its work cannot go anywhere else.',
    todo: 'The message says which work and why: let it go elsewhere, delete it, or remove the cluster by force (`perigee unregister --force`).',
  },
  AppliedSuccessful: { of: APPLIED, means: 'The member has the objects.' },
  AppliedFailed: {
    of: APPLIED,
    means: 'The member refused an object, or it was there before and may not be overwritten.',
    todo: 'The message says what the member answered.',
  },
  Dispatching: { of: DISPATCHING, means: 'Changes go to the member.' },
  SuspendDispatching: {
    of: DISPATCHING,
    means: 'The policy or the Work suspends changes to this cluster.',
    todo: 'Take `suspension` away.',
  },
  ClusterReady: {
    of: `${READY}; ${RECORD}`,
    means: 'The cluster answers, and says that it is well.',
  },
  ClusterNotReady: {
    of: `${READY}; ${RECORD}`,
    means: 'The cluster answers, and says that it is not well.',
    todo: 'Ask its /readyz?verbose.',
  },
  ClusterNotReachable: {
    of: READY,
    means: 'Nothing answers at its address.',
    todo: 'Check the address, the network and the certificate that the message names.',
  },
  StatusCollectionFailed: {
    of: READY,
    means: 'The cluster is there, but its nodes and pods could not be read.',
    todo: 'Check what the credentials may read.',
  },
  ClusterStatusNeverUpdated: {
    of: READY,
    means: 'The agent of a pulling cluster never reported.',
    todo: 'Start `perigee agent` in it.',
  },
  ClusterStatusUnknown: {
    of: READY,
    means: 'The agent of a pulling cluster no longer reports.',
    todo: 'Look after the agent, and the way from it to here.',
  },
  Complete: { of: APIS, means: 'All API groups of the cluster are known.' },
  Partial: {
    of: APIS,
    means: 'Some API groups did not answer; what was known of them is kept.',
    todo: 'Look after the aggregated APIs that the message names.',
  },
  Empty: {
    of: APIS,
    means: 'No API group could be read.',
    todo: 'Check what the credentials may read.',
  },
  NotSeenYet: { of: RECORD, means: 'Nobody has looked at it yet.' },
  ClusterUnreachable: {
    of: RECORD,
    means: 'Nothing answers at its address.',
    todo: 'Check the address, the network and the certificate that the message names.',
  },
  AnswerUnintelligible: {
    of: RECORD,
    means: 'Something answers, but not what should be there.',
    todo: 'Check the address and the type of the record.',
  },
  CredentialsRejected: {
    of: RECORD,
    means: 'The cluster does not let the control plane in.',
    todo: 'Renew the credentials in the Secret.',
  },
  CredentialsMissing: {
    of: RECORD,
    means: 'The record names no Secret.',
    todo: 'Put the credentials into a Secret, and its name into spec.secretRef.',
  },
  SecretMissing: {
    of: RECORD,
    means: 'The Secret that the record names is not there.',
    todo: 'Create it; the cluster is tried again at once.',
  },
  CredentialsInvalid: {
    of: RECORD,
    means: 'The Secret lacks something, or holds what cannot be used.',
    todo: 'The message names the key.',
  },
  NotHosted: {
    of: RECORD,
    means: 'This control plane cannot host the virtual member, or failed to.',
    todo: 'Virtual members need `perigee up`; the message says what failed.',
  },
  AgentSilent: {
    of: RECORD,
    means: 'The agent in the cluster no longer reports.',
    todo: 'Look after the agent, and the way from it to here.',
  },
  InStep: { of: TARGET, means: 'The execution target is as the record says.' },
  NotMadeYet: { of: TARGET, means: 'The execution target is still to be made.' },
  OutOfStep: { of: TARGET, means: 'The record has changed, and its target is still to follow.' },
  FieldsOfOthers: {
    of: TARGET,
    means: 'Somebody else wrote fields of the target, which stay as they are.',
    todo: 'Change them there, or say the same in the record.',
  },
  CredentialsWithheld: {
    of: TARGET,
    means:
      'Others wrote an address, a proxy or a way around TLS into the target, and the Secret of the record does not go there.',
    todo: 'Remove these fields, or name the Secret in the target, which takes the right to read it.',
  },
  InventoryOnly: {
    of: TARGET,
    means: 'OpenStack clouds take no Kubernetes objects: they are counted, and get no target.',
  },
  Unregistering: {
    of: TARGET,
    means: 'The record goes when all work has left the cluster.',
    todo: 'Nothing, unless the cluster no longer answers.',
  },
  LeaseHeld: { of: SCHEDULER, means: 'The scheduler holds its lease.' },
  NotStarted: { of: SCHEDULER, means: 'The scheduler has not taken its lease yet.' },
  Leaving: { of: SCHEDULER, means: 'The scheduler gives its clusters and its work away.' },
  LeaseExpired: {
    of: SCHEDULER,
    means: 'The scheduler has not renewed its lease in time. Others do its work.',
    todo: 'Look at its process; it is started again by itself.',
  },
  HomeAsWished: { of: HOME, means: 'The scheduler that the record wishes for has the cluster.' },
  NoActiveScheduler: {
    of: HOME,
    means: 'No scheduler is active that could have the cluster.',
    todo: 'Look at the schedulers: `perigee ring`.',
  },
  NoSuchScheduler: {
    of: HOME,
    means: 'The record wishes for a scheduler that does not exist.',
    todo: 'Create it, or correct spec.homeScheduler.',
  },
  SchedulerNotActive: {
    of: HOME,
    means: 'The scheduler that the record wishes for is not at work.',
    todo: 'Look at its status: `kubectl describe gscheduler`.',
  },
  WishNotCounted: {
    of: HOME,
    means: 'Only the sharding sticky-geo follows wishes.',
  },
  SchedulerFull: {
    of: HOME,
    means: 'The scheduler that the record wishes for would have more than its share.',
    todo: 'Add schedulers, or wish for another one.',
  },
  HomeKept: {
    of: HOME,
    means: 'The cluster had a home already, and clusters do not move for wishes.',
    todo: 'Register it anew to have the wish followed.',
  },
  CrashLoop: {
    of: SCHEDULER,
    means: 'Its process ends again and again, and is started later each time.',
    todo: 'The message says how it ended; status.lastExit says when it is started again.',
  },
  Exact: { of: UNION, means: 'All sums over its clusters are exact again.' },
  SumTooLarge: {
    of: UNION,
    means: 'A sum over its clusters is larger than a record can tell, and stands for that or more.',
    todo: 'Look for a cluster whose record says too much, in the fields that the message names.',
  },
  AmountsRefused: {
    of: AMOUNTS,
    means: 'What the cluster says that it has cannot be; it was left out, and the rest is told.',
    todo: 'The message names the field. Look at what the cluster tells.',
  },
} as const satisfies Reasons;
