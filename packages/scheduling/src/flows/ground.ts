import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';

/** A dataset in whose claims other data lies that was made of it: its copies, by cluster. */
export type Ground = ReadonlyMap<string, DatasetCopy>;

export const groundOf = ({ metadata, status }: Dataset): Ground | undefined =>
  metadata.deletionTimestamp === undefined
    ? new Map((status?.clusters ?? []).map((copy) => [copy.name, copy]))
    : undefined;

/** Data that an operation made at some time in a claim of another dataset. */
interface Made {
  readonly name: string;
  readonly time?: string | undefined;
  readonly operationUid?: string | undefined;
}

/**
 * Whether what was made in a cluster can still be there, and is of the data as it is there now. Copies of the other
 * dataset that came later have nothing of it in them, or it is of older data.
 */
export const isOnGround = (
  { name, time = '', operationUid }: Made,
  ground: Ground | undefined,
): boolean => {
  const copy = ground?.get(name);
  if (ground === undefined || copy?.state === 'Evicted') return false;
  // Times in status are of one form, and so their text is in order.
  return copy?.time === undefined || copy.operationUid === operationUid || copy.time <= time;
};
