import type { Reasons } from './reason.ts';

const TEMPLATE = 'the workload';
const BINDING = 'the workload and its binding';
const WORK = 'the Work and the objects in it';
const CLUSTER = 'Cluster (cluster.karmada.io)';
const RECORD = 'Cluster (globalscheduler.com)';
const SCHEDULER = 'Scheduler';
const CLAIM = 'DataSourceClaim';
const TRIGGER = 'ScheduleTrigger';
const OPERATION = 'DataLoad, DataMigrate, DataBackup, DataProcess';

/** The reasons of events. Those of placement are Karmada's, so that its users find what they know. */
export const eventReasons = {
  ApplyPolicySucceed: {
    of: TEMPLATE,
    means: 'A policy propagates it, and its binding was written.',
  },
  ApplyPolicyFailed: {
    of: TEMPLATE,
    means: 'Its binding could not be written.',
    todo: 'The message says what stood in the way; it is tried again.',
  },
  LazyPolicyWaits: {
    of: TEMPLATE,
    means: 'A lazy policy that came after it has it, and sends it nowhere yet.',
    todo: 'Change the object when it may go; any change will do, such as an annotation.',
  },
  GetDependenciesSucceed: { of: BINDING, means: 'What it depends on goes along with it.' },
  DependencyPolicyConflict: {
    of: 'an object that follows others to their clusters',
    means: 'The policies of those it follows disagree about how to treat it.',
    todo: 'Make their conflict resolution and preservation the same.',
  },
  WorkHeld: {
    of: BINDING,
    means: 'The work is not scheduled until what it waits for is there.',
    todo: 'The message says what that is.',
  },
  WorkPreempted: {
    of: TEMPLATE,
    means: 'What its queue had beyond what it deserves was taken back for other work.',
    todo: 'It waits in its queue again; the message says for whom it had to go.',
  },
  WorkAdmitted: { of: BINDING, means: 'What the work waited for is there: it may be scheduled.' },
  ScheduleBindingSucceed: { of: TEMPLATE, means: 'The scheduler chose clusters.' },
  ScheduleBindingFailed: {
    of: BINDING,
    means: 'The scheduler found no clusters.',
    todo: 'Run `perigee explain`.',
  },
  TriggerRuns: { of: TRIGGER, means: 'It has begun to run: by its schedule, or for a cluster.' },
  TriggerSucceeded: { of: TRIGGER, means: 'All that is meant was scheduled afresh.' },
  TriggerFailed: {
    of: TRIGGER,
    means: 'Some resources could not be scheduled afresh.',
    todo: 'See status.failedResourceList; they are tried again.',
  },
  TriggerCancelled: {
    of: TRIGGER,
    means: 'It was deleted before it was done. What had not begun stays as it is.',
  },
  SyncWorkFailed: {
    of: BINDING,
    means: 'A Work could not be written, or what it should say is refused.',
    todo: 'The message says why; what failed is tried again, what was refused when something changes.',
  },
  AggregateStatusSucceed: {
    of: TEMPLATE,
    means: 'All its clusters have it, and their status was put together.',
  },
  AggregateStatusFailed: {
    of: BINDING,
    means: 'The status of the clusters could not be written.',
    todo: 'The message says why; it is tried again.',
  },
  WorkDegraded: {
    of: TEMPLATE,
    means:
      'Nothing is heard any more of a cluster that has it, it failed in one, or its pods have not run there for a while.',
    todo: 'The message says where. Run `perigee explain`.',
  },
  EvictWorkloadFromClusterSucceed: { of: BINDING, means: 'The work left a cluster.' },
  EvictWorkloadFromClusterFailed: {
    of: BINDING,
    means: 'The work could not be taken out of a cluster.',
    todo: 'The message says why; it is tried again.',
  },
  SyncSucceed: { of: WORK, means: 'The members that it names have the object as the Work says.' },
  SyncFailed: {
    of: WORK,
    means: 'The member did not take the object.',
    todo: 'The message says what the member answered; it is tried again.',
  },
  WorkDispatching: { of: WORK, means: 'Changes to the member were suspended, or go on.' },
  NotCounted: {
    of: CLUSTER,
    means: 'A node or pod of the member is left out of what the cluster has and gives.',
    todo: 'Correct the amounts of the node or pod that the message names.',
  },
  SlowReconcile: {
    of: 'whatever a controller looks after',
    means: 'A look at it took so long that it has to wait, so that others get their turn.',
    todo: 'Make it smaller, or look in the log for what takes so long.',
  },
  CreateExecutionSpaceSucceed: { of: CLUSTER, means: 'The namespace for its Works was made.' },
  CreateExecutionSpaceFailed: {
    of: CLUSTER,
    means: 'The namespace for its Works could not be made.',
    todo: 'The message says why; it is tried again.',
  },
  RemoveExecutionSpaceSucceed: { of: CLUSTER, means: 'The namespace for its Works is gone.' },
  ObjectsLeft: {
    of: CLUSTER,
    means: 'An earlier registration of the cluster left objects there that no Work names.',
    todo: 'The message says which.',
  },
  WorkStays: {
    of: CLUSTER,
    means: 'It is to be removed, and some of its work cannot go anywhere else.',
    todo: 'The message says which work and why.',
  },
  TaintClusterSucceed: {
    of: CLUSTER,
    means: 'Its taints follow its health, or a ClusterTaintPolicy.',
  },
  TaintClusterFailed: {
    of: CLUSTER,
    means: 'Its taints could not be written.',
    todo: 'The message says why; it is tried again.',
  },
  UnknownFault: {
    of: CLUSTER,
    means: 'The annotation that makes a virtual member fail says something unknown.',
    todo: 'Write one of the faults that the message names.',
  },
  PodGroupsRefused: {
    of: CLUSTER,
    means: 'The cluster asks for PodGroups, and they cannot be made there.',
    todo: 'The message says why; it is looked at again every minute.',
  },
  NotGrouped: {
    of: 'Pod',
    means: 'The server refuses the PodGroup of the pod, or to name it in the pod. The pod waits.',
    todo: 'Correct what the message names, in the pod or in the annotations of its owners.',
  },
  RulesRead: {
    of: 'the ConfigMap with the rules for PodGroups',
    means: 'The rules are in force; pods are in the groups that they say.',
  },
  InvalidRules: {
    of: 'the ConfigMap with the rules for PodGroups',
    means: 'The rules are wrong, and those from before stay in force.',
    todo: 'Correct the line that the message names.',
  },
  Bound: { of: CLAIM, means: 'The claim has its data.' },
  Unbound: {
    of: CLAIM,
    means: 'The data that the claim had is gone, or no longer what it asks for. Its work waits.',
    todo: 'The condition Bound says what would fit.',
  },
  DataCopyStarted: {
    of: CLAIM,
    means: 'A copy of its data was decided, and is made. The message says why, and what it takes.',
  },
  DataCopied: { of: CLAIM, means: 'The data was copied to where its work may run.' },
  DataCopyFailed: {
    of: CLAIM,
    means: 'The copy of its data failed, or was stopped. It is not made again by itself.',
    todo: 'The condition Copied says what to do.',
  },
  DataProvisioned: { of: CLAIM, means: 'A provisioner knew the data, and a DataSource was made.' },
  ProvisionedDataGone: {
    of: 'DataSource',
    means:
      'A provisioner had made the DataSource, and it goes: the data is gone, or nobody wants it.',
  },
  ProvisionerInvalid: {
    of: 'ConfigMap volcano-global-datasource-plugins',
    means: 'An entry is wrong, and is left out. The others work.',
    todo: 'Correct the entry that the message names.',
  },
  DataReclaimed: {
    of: 'DataSource',
    means: 'The last claim is gone, and the record with it, as its reclaim policy says.',
  },
  DataOperationExecuting: { of: OPERATION, means: 'Its Job goes to the clusters.' },
  DataOperationSucceed: { of: OPERATION, means: 'It is complete.' },
  DataOperationFailed: {
    of: OPERATION,
    means: 'It failed, and does not start again by itself.',
    todo: 'The message says why. `perigee flow retry` tries it again.',
  },
  DataOperationNotValid: {
    of: OPERATION,
    means: 'It can never run as it is written.',
    todo: 'The message says what is wrong; create it anew.',
  },
  DataOperationNotFound: {
    of: OPERATION,
    means: 'An operation that it runs after does not exist.',
    todo: 'Create it, or correct runAfter.',
  },
  DataOperationWaiting: { of: OPERATION, means: 'It waits; the message says for what.' },
  TargetDatasetNotFound: {
    of: OPERATION,
    means: 'Its dataset does not exist.',
    todo: 'Create the Dataset that the message names.',
  },
  ExecutionTargetMade: { of: RECORD, means: 'An execution target follows from the record.' },
  ClusterAdopted: {
    of: RECORD,
    means: 'The record was made for an execution target that was there.',
  },
  SameCluster: {
    of: `${RECORD}; ${CLUSTER}`,
    means: 'The cluster is known under another name already; nothing is placed under this one.',
    todo: 'Unregister one of the two.',
  },
  Unregistering: {
    of: RECORD,
    means: 'Work is taken out of the cluster, and then the record goes.',
  },
  HomeSchedulerChanged: { of: RECORD, means: 'Another scheduler is in charge of the cluster.' },
  AssignmentRefused: {
    of: SCHEDULER,
    means: 'What it shall have could not be written. Others are served meanwhile.',
    todo: 'The message says why; it is tried again.',
  },
  SchedulerPending: { of: SCHEDULER, means: 'Its process has not taken its lease yet.' },
  SchedulerCrashed: {
    of: SCHEDULER,
    means: 'Its process ended without being asked to, and is started again.',
    todo: 'The message says how it ended, and when it is started again.',
  },
  SchedulerActive: {
    of: SCHEDULER,
    means: 'Its process is at work, and takes its share of clusters.',
  },
  SchedulerDraining: {
    of: SCHEDULER,
    means: 'It gives its clusters and its work away, and then goes.',
  },
  SchedulerUnavailable: {
    of: SCHEDULER,
    means: 'Its lease ran out. Others do its work.',
    todo: 'Look at its process; it is started again by itself.',
  },
  ProductNameTaken: {
    of: 'DataProcess',
    means: 'The DataSource that it says it makes is there already, and is that of somebody else.',
    todo: 'Give the product another name, or delete the DataSource that the message names.',
  },
} as const satisfies Reasons;
