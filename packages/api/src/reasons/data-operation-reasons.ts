import type { ReasonsOfKind } from './reason.ts';

/** Why nothing was even begun. The names are those that Fluid has. */
const invalid = {
  TargetDatasetNamespaceNotSame: {
    means: 'The dataset is in another namespace, where the pods of the operation cannot mount it.',
    todo: 'Create the operation in the namespace of its dataset.',
  },
  ProcessorNotSpecified: {
    means: 'The DataProcess has nothing to run.',
    todo: 'Give it processor.job or processor.script.',
  },
  MultipleProcessorSpecified: {
    means: 'The DataProcess has both a job and a script.',
    todo: 'Keep one of them.',
  },
  ConflictMountPath: {
    means: 'Something else is mounted where the dataset is.',
    todo: 'Choose another path for the volume that the message names.',
  },
  ScheduleNotSpecified: {
    means: 'The policy is Cron, and there is no schedule.',
    todo: 'Give it a schedule such as */10 * * * *.',
  },
  BadSchedule: {
    means: 'The schedule cannot be read, or its time never comes.',
    todo: 'Correct the schedule.',
  },
  PathNotSupported: {
    means: 'There is no way to read from or write to the place that the message names.',
    todo: 'Name a place that is supported: local://, pvc:// or dataset://.',
  },
  TargetSSHSecretNameNotSet: {
    means: 'Several pods shall copy, and there is no key for them to reach each other by.',
    todo: 'Name the Secret in parallelOptions.sshSecretName, or leave the parallelism at 1.',
  },
} as const;

/** The conditions of a data operation, and their reasons. Complete and Failed are those of Fluid. */
export const dataOperationReasons = {
  of: 'DataLoad, DataMigrate, DataBackup, DataProcess',
  conditions: {
    Complete: {
      Succeeded: { means: 'It ran to its end in every cluster that it should run in.' },
      Simulated: {
        means: 'Its pods were played, as an annotation asks for. Nothing was done to the data.',
      },
    },
    Failed: {
      ...invalid,
      BackoffLimitExceeded: {
        means: 'Its pods failed too often.',
        todo: 'Read what they printed: `perigee flow logs`. Then `perigee flow retry`.',
      },
      DeadlineExceeded: {
        means: 'It took longer than activeDeadlineSeconds.',
        todo: 'Give it more time, and try it again: `perigee flow retry`.',
      },
      NoPathBetweenClusters: {
        means:
          'The data is in other clusters than those that the operation may run in, and there is no way from one to the other.',
        todo: 'Say in the inventory how the cluster with the data is reached, in spec.dataTransfer.address of its record; or let the operation run where the data is.',
      },
      SourceFailed: {
        means: 'The pod that serves the data, in the cluster that has it, failed for good.',
        todo: 'Correct what the message names, then `perigee flow retry`.',
      },
      JobFailed: {
        means: 'A cluster says that the Job failed. The message says why.',
        todo: 'Correct what the message names, then `perigee flow retry`.',
      },
      Cancelled: { means: 'Somebody cancelled it.' },
      PredecessorFailed: {
        means: 'An operation that it runs after failed, and onPredecessorFailure is fail.',
        todo: 'Try the flow again from where it stopped: `perigee flow retry`.',
      },
      PredecessorMissing: {
        means: 'An operation that it runs after does not exist, and onPredecessorFailure is fail.',
        todo: 'Create that operation, then `perigee flow retry`.',
      },
      Cycle: {
        means: 'It waits for itself, through the operations that the message names.',
        todo: 'Change runAfter of one of them.',
      },
      NotSupported: {
        means: 'Nothing here can do what the operation asks for. The message says what.',
      },
      JobRefused: {
        means: 'The server does not take the Job as the operation wants it. The message says why.',
        todo: 'Correct what the message names, then `perigee flow retry`.',
      },
      NameTaken: {
        means: 'An object of somebody else has the name that the Job would get.',
        todo: 'Delete or rename the object that the message names.',
      },
    },
    Started: {
      Started: { means: 'Its Job was made, and goes to the clusters.' },
      WaitingForOperation: {
        means: 'An operation that it runs after is not complete yet. The message says which.',
      },
      PredecessorFailed: {
        means:
          'An operation that it runs after failed. It waits until that one is complete after all.',
        todo: 'Try the flow again from where it stopped: `perigee flow retry`.',
      },
      PredecessorMissing: {
        means: 'An operation that it runs after does not exist.',
        todo: 'Create it, or correct runAfter.',
      },
      Cycle: {
        means: 'It waits for itself, through the operations that the message names.',
        todo: 'Change runAfter of one of them.',
      },
      Suspended: { means: 'It is held back by spec.suspend.', todo: 'Set it to false.' },
      WaitingForSchedule: { means: 'It waits for its time, which the message says.' },
      NothingStartsIt: {
        means: 'The policy OnEvent is taken for compatibility, and no event starts anything.',
        todo: 'Create it anew with the policy Once or Cron.',
      },
      TargetDatasetNotFound: {
        means: 'Its dataset does not exist.',
        todo: 'Create the Dataset that the message names.',
      },
      DataInUse: {
        means: 'Another operation that writes the same data goes first. The message says which.',
      },
      WaitingForCluster: {
        means: 'No cluster was found for it yet. The condition Placed says why.',
      },
      JobRefused: {
        means: 'The server does not take the Job now. The message says why; it is tried again.',
        todo: 'Look at quotas and policies of the namespace.',
      },
    },
    Placed: {
      ByPolicy: { means: 'A policy that selects the operation says where it runs.' },
      BySpec: { means: 'Its own spec.placement says where it runs.' },
      WhereDatasetIs: { means: 'It runs in a cluster that has the dataset.' },
      WhereClaimsWait: {
        means: 'It brings the data to where work that claims it may run.',
      },
      WherePredecessorRan: { means: 'It runs where an operation ran that it runs after.' },
      WhereRoomIs: { means: 'Nothing says where it should run: it runs where there is room.' },
      NoCopy: {
        means: 'It reads datasets of which no cluster has all of the data.',
        todo: 'Bring them to a cluster: with a DataLoad, or by what writes them.',
      },
      NoExecutor: {
        means: 'The clusters that it may run in are virtual, and do not really run anything.',
        todo: 'Start them with `perigee up --run-processes`, or ask for a simulation with the annotation flows.perigee.io/simulate.',
      },
      Held: {
        means: 'Its Job is held back: until data is there, or by its queue. The message says why.',
      },
      NoCluster: {
        means: 'The scheduler found no cluster for it. The message says why.',
        todo: 'Look at the condition Scheduled of the binding that the message names.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
