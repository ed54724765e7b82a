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
  },
} as const satisfies ReasonsOfKind;
