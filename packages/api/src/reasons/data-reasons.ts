import type { ReasonsOfKind } from './reason.ts';

/** The conditions of a DataSource, and their reasons. */
export const dataSourceReasons = {
  of: 'DataSource',
  conditions: {
    Ready: {
      DataAvailable: { means: 'At least one cluster that has the data is ready.' },
      NoCluster: {
        means: 'The locality gives no cluster that is registered. Work that claims the data waits.',
        todo: 'Correct the locality, or register the cluster.',
      },
      NoReadyCluster: {
        means: 'None of the clusters that have the data is ready.',
        todo: 'Look at the condition Ready of these clusters.',
      },
    },
    Provisioned: {
      Registered: { means: 'Somebody wrote the DataSource.' },
      Provisioned: { means: 'A provisioner made the DataSource, and keeps it up to date.' },
      RefreshFailed: {
        means:
          'The provisioner that made the DataSource could not be asked again. What it said last stays in force.',
        todo: 'The message says why; it is tried again.',
      },
    },
  },
} as const satisfies ReasonsOfKind;

/** The conditions of a DataSourceClaim, and their reasons. */
export const dataSourceClaimReasons = {
  of: 'DataSourceClaim',
  conditions: {
    Bound: {
      BindingSuccessful: { means: 'The claim has its data. The message says which.' },
      NoMatchingSource: {
        means:
          'No DataSource offers what the claim asks for. Its work waits. The message says which came close, and why they do not fit.',
        todo: 'Register a DataSource, or correct the claim.',
      },
      SelectorUnreadable: {
        means: 'The workloadSelector cannot be read, so that the claim concerns no work.',
        todo: 'Correct the part of the selector that the message names.',
      },
    },
    Copied: {
      DataCopied: { means: 'The data was copied to where the work may run.' },
      Copying: { means: 'A DataLoad copies the data. The message says which, whence and whither.' },
      NotNeeded: { means: 'The work can run where the data is.' },
      NothingWaits: { means: 'No work waits because of the claim.' },
      WaitingIsSooner: {
        means:
          'There may soon be room where the data is. Once the work has waited for as long as a copy takes, one is made.',
      },
      OnItsWay: {
        means: 'Another operation brings the data to a cluster just now; then it is decided anew.',
      },
      OverLimit: {
        means: 'A copy would help, and would exceed the copyLimit of the claim.',
        todo: 'Raise copyLimit, or copy the data yourself, as `perigee data plan` shows.',
      },
      NoChoice: {
        means:
          'No copy would help: the message says why no cluster can run the work, or get the data.',
        todo: 'Correct what the message names.',
      },
      NotADataset: {
        means: 'The claim is not about a Dataset of its own namespace: nothing else can be copied.',
        todo: 'Claim a Dataset (system fluid, type dataset), or set onMissing: Wait.',
      },
      CopyFailed: {
        means: 'The copy failed, or its DataLoad was deleted. It is not made again by itself.',
        todo: 'Look at it with `perigee flow show`; `perigee flow retry` tries it again, and so does a change of the claim.',
      },
      CopyStopped: {
        means:
          'The copy was stopped: it turned out to exceed copyLimit, or the claim does not ask for copies any more.',
        todo: 'Raise copyLimit, if it may be copied after all.',
      },
    },
    Provisioned: {
      DataFound: { means: 'There is a DataSource now.' },
      Asking: { means: 'The provisioner of the system has more to do than it takes at once.' },
      DataNotFound: {
        means: 'The provisioner knows no such data yet. It is asked again.',
        todo: 'Wait for the data to be made, or correct the claim.',
      },
      DataNowhere: { means: 'The data is in no cluster yet. The provisioner is asked again.' },
      DataDoesNotFit: {
        means:
          'The provisioner knows the data, and its attributes are not those that the claim asks for.',
        todo: 'Correct the claim.',
      },
      ProvisionerUnavailable: {
        means: 'The provisioner does not answer, or is in trouble. It is asked again.',
        todo: 'An operator should look at it.',
      },
      ProvisionerMisconfigured: {
        means: 'The entry of the provisioner is wrong.',
        todo: 'An operator has to correct it, as the message says.',
      },
      AnswerUnusable: {
        means:
          'The provisioner answered something that cannot be used, or refused. It is asked again.',
        todo: 'The message says what is wrong with the answer.',
      },
      NameTaken: {
        means: 'A DataSource that somebody wrote has the name that the new one would get.',
        todo: 'Rename or delete the DataSource that the message names.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
