import type { Dataset, DatasetStatus } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { present } from '@perigee/schema/present';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { type CopyEvent, copyEvents, inOrder, isChange } from './copy-events.ts';
import { type Ground, isOnGround } from './ground.ts';
import type { Operation } from './operation.ts';
import { producedBy } from './produced-marks.ts';

/** Clusters and their claims. */
export interface CopyWorld {
  readonly isRegistered: (cluster: string) => boolean;
  /** The uid of the dataset's claim in a cluster, if known. */
  readonly claimUid: (cluster: string) => string | undefined;
  /** The copies of the dataset in whose claim the data lies; undefined if it is deleted. */
  readonly ground: (claim: string) => Ground | undefined;
}

type Origin = NonNullable<DatasetStatus['origin']>;

export interface Copies {
  readonly clusters: readonly DatasetCopy[];
  readonly origin?: Origin;
}

/** The state of a dataset during the replay of its events. */
interface Ledger {
  readonly copies: Map<string, DatasetCopy>;
  readonly hasMounts: boolean;
  origin: Origin | undefined;
}

const isHeld = ({ state }: DatasetCopy): boolean => state !== 'Evicted' && state !== 'Loading';

/** The size of the data in a result, without the transfer statistics. */
const sizeOf = ({ bytes, files, digest }: NonNullable<CopyEvent['state']['result']>) => ({
  ...present({ bytes, files, digest }),
});

const madeBy = ({ cluster, state, operation, uid, endedMs, place, isSimulated }: CopyEvent) => ({
  name: cluster,
  time: formatTime(endedMs),
  operation,
  operationUid: uid,
  ...sizeOf(state.result ?? {}),
  ...(place === undefined ? {} : { claim: place.claim, path: place.path }),
  ...present({ message: isSimulated ? 'simulated: nothing was copied' : undefined }),
});

const load = (
  ledger: Ledger,
  event: CopyEvent,
  copyBefore: DatasetCopy | undefined,
): DatasetCopy => {
  // A partial reload keeps the rest of the data.
  if (!event.isWhole && copyBefore !== undefined && isHeld(copyBefore)) return copyBefore;
  if (!event.isWhole) return { ...madeBy(event), state: 'Partial' };
  const { origin } = ledger;
  const isCurrent = origin === undefined || event.startedMs >= parseTime(origin.changedAt);
  return isCurrent
    ? { ...madeBy(event), state: 'Complete' }
    : { ...madeBy(event), state: 'Stale', message: staleSince(origin) };
};

const staleSince = ({ operation = 'an operation', changedAt }: Origin): string =>
  `the data was changed by ${operation} at ${changedAt}, after this copy was begun`;

/** The state of a cluster's copy after an operation that changes its data. */
const copyAfter = (
  ledger: Ledger,
  event: CopyEvent,
  copyBefore: DatasetCopy | undefined,
): DatasetCopy => {
  if (event.isWhole) return { ...madeBy(event), state: 'Complete' };
  if (copyBefore !== undefined && copyBefore.state === 'Complete') {
    // The total is not counted after a partial change.
    const { bytes, files, digest, ...rest } = madeBy(event);
    return { ...rest, state: 'Complete' };
  }
  const isFirst = !ledger.hasMounts && ledger.origin === undefined && ledger.copies.size === 0;
  return { ...madeBy(event), state: isFirst ? 'Complete' : 'Partial' };
};

const write = (
  ledger: Ledger,
  event: CopyEvent,
  copyBefore: DatasetCopy | undefined,
): DatasetCopy => {
  const copy = copyAfter(ledger, event, copyBefore);
  const { origin } = ledger;
  if (!isChange(event, origin?.changedAt, origin ?? {})) return copy;
  const next: Origin = {
    changedAt: formatTime(event.endedMs),
    operation: event.operation,
    operationUid: event.uid,
  };
  for (const [cluster, other] of ledger.copies) {
    if (other.state !== 'Complete' || other.operationUid === event.uid) continue;
    ledger.copies.set(cluster, { ...other, state: 'Stale', message: staleSince(next) });
  }
  ledger.origin = next;
  return copy;
};

const asEvicted = (copy: DatasetCopy, message: string): DatasetCopy => {
  const { name, time, operation, operationUid } = copy;
  return {
    name,
    state: 'Evicted',
    message,
    ...present({ time, operation, operationUid }),
  };
};

/** The copy, checked against the present state of its cluster and claim. */
const checkCopy = (copy: DatasetCopy, world: CopyWorld): DatasetCopy => {
  if (!isHeld(copy)) return copy;
  const { name, claim, claimUid } = copy;
  if (!world.isRegistered(name)) return asEvicted(copy, 'the cluster is not registered any more');
  if (claim !== undefined) {
    return isOnGround(copy, world.ground(claim))
      ? copy
      : asEvicted(
          copy,
          `the data that it was made of, in the claim ${claim}, is gone or was renewed`,
        );
  }
  const presentUid = world.claimUid(name);
  if (presentUid === undefined || presentUid === claimUid) return copy;
  return claimUid === undefined
    ? { ...copy, claimUid: presentUid }
    : asEvicted(copy, 'the claim that it was in was deleted');
};

/** Copies of one origin that were loaded at different times differ if the origin changed by itself. */
const withoutOutdated = (copies: readonly DatasetCopy[]): readonly DatasetCopy[] => {
  const loadedCopies = copies.filter(
    ({ state, operation = '', digest }) =>
      state === 'Complete' && operation.startsWith('DataLoad/') && digest !== undefined,
  );
  const latest = loadedCopies.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];
  return copies.map((copy) =>
    latest !== undefined &&
    loadedCopies.includes(copy) &&
    copy.digest !== latest.digest &&
    (copy.time ?? '') < (latest.time ?? '')
      ? { ...copy, state: 'Stale', message: `${latest.operation} found other data since` }
      : copy,
  );
};

const loadingCopy = ({ cluster, operation, uid, state }: CopyEvent): DatasetCopy => ({
  name: cluster,
  state: 'Loading',
  operation,
  operationUid: uid,
  ...present({
    bytes: state.progress?.bytesDone,
    files: state.progress?.filesDone,
    cachedPercentage:
      state.progress?.percentage === undefined
        ? undefined
        : `${state.progress.percentage.toFixed(1)}%`,
  }),
});

const byName = (a: DatasetCopy, b: DatasetCopy): number => (a.name < b.name ? -1 : 1);

/**
 * The copies of a dataset: the recorded ones, updated by later events of the present operations. Operations may be
 * deleted while their data stays, so the record counts.
 */
export const copiesOf = (
  dataset: Dataset,
  operations: readonly Operation[],
  world: CopyWorld,
): Copies => {
  const { metadata, spec, status } = dataset;
  const bornMs = parseTime(metadata.creationTimestamp);
  const events = operations.flatMap((operation) => copyEvents(metadata.name, operation));
  // Events before the dataset's creation belong to a deleted namesake.
  const isOfThis = ({ endedMs, uid }: CopyEvent): boolean =>
    endedMs >= bornMs || producedBy(metadata) === uid;
  const completions = events.filter(({ state }) => state.phase === 'Complete').filter(isOfThis);
  const ledger: Ledger = {
    copies: new Map(
      (status?.clusters ?? [])
        .filter(({ state }) => state !== 'Loading')
        .map((copy) => [copy.name, copy]),
    ),
    hasMounts: (spec.mounts ?? []).length > 0,
    origin: status?.origin,
  };
  for (const event of completions.toSorted(inOrder)) {
    const copyBefore = ledger.copies.get(event.cluster);
    if (copyBefore !== undefined && !isChange(event, copyBefore.time, copyBefore)) continue;
    const step = event.does === 'load' ? load : write;
    ledger.copies.set(event.cluster, step(ledger, event, copyBefore));
  }
  const mentions = new Set(
    operations.flatMap((one) => (one.status?.clusters ?? []).map(({ name }) => name)),
  );
  const remainingCopies = [...ledger.copies.values()]
    .map((copy) => checkCopy(copy, world))
    .filter(({ state, name }) => state !== 'Evicted' || mentions.has(name));
  const copyClusters = new Set(remainingCopies.map(({ name }) => name));
  const arrivals = events.filter(
    ({ cluster, isUnderWay }) =>
      isUnderWay && !copyClusters.has(cluster) && world.isRegistered(cluster),
  );
  const loadingCopies = new Map(arrivals.map((event) => [event.cluster, loadingCopy(event)]));
  return {
    clusters: [...withoutOutdated(remainingCopies), ...loadingCopies.values()].toSorted(byName),
    ...present({ origin: ledger.origin }),
  };
};
