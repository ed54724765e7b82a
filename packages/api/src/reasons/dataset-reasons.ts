import type { ReasonsOfKind } from './reason.ts';

/** The conditions of a Dataset, and their reasons. */
export const datasetReasons = {
  of: 'Dataset',
  conditions: {
    Ready: {
      DatasetBound: { means: 'Operations can work on the Dataset, and its DataSource is there.' },
      DataSourceTaken: {
        means:
          'A DataSource that is about other data has the name that the one of this Dataset needs. Claims do not find the Dataset.',
        todo: 'Delete the DataSource that the message names.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
