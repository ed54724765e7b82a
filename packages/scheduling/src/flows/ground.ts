import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';

/** A dataset whose claims hold data derived from it: its copies, by cluster. */
export type Ground = ReadonlyMap<string, DatasetCopy>;

export const groundOf = ({ metadata, status }: Dataset): Ground | undefined =>
  metadata.deletionTimestamp === undefined
    ? new Map((status?.clusters ?? []).map((copy) => [copy.name, copy]))
    : undefined;

/** Data that an operation made at some time in a claim of another dataset. */
interface ProductOrigin {
  readonly name: string;
  readonly time?: string | undefined;
  readonly operationUid?: string | undefined;
}

/**
 * True if data made in a cluster can still be there, and belongs to the present version of the other dataset. Later
 * copies of that do not contain it, or it is of an older version.
 */
export const isOnGround = (
  { name, time = '', operationUid }: ProductOrigin,
  ground: Ground | undefined,
): boolean => {
  const copy = ground?.get(name);
  if (ground === undefined || copy?.state === 'Evicted') return false;
  // Times in status are of one form, and so their text is in order.
  return copy?.time === undefined || copy.operationUid === operationUid || copy.time <= time;
};
