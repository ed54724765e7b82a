import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import { isConditionTrue } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { runsPods } from '../clusters/inventory/runs-pods.ts';
import { inAll } from '../data/combine-placement.ts';
import { type CrossingFacts, chooseSource } from './crossing.ts';
import type { PlannedRoute } from './data-plan.ts';
import type { DataPlanWorld } from './data-plan-world.ts';
import { latestCopy } from './dataset-source.ts';
import { type Operation, statusOf } from './operation.ts';
import { routeTo, transferAddress } from './transfer-routes.ts';
import { hasOrigin, mountedDatasets } from './written-data.ts';

/** A finished copy. */
interface PastCopy {
  readonly from: string | undefined;
  readonly to: string;
  readonly bytes: number;
  readonly seconds: number;
}

const pastCopies = (operations: readonly Operation[]): readonly PastCopy[] =>
  operations.flatMap((operation) => {
    const { transfer, clusters = [] } = statusOf(operation);
    return clusters.flatMap(({ name, startTime, completionTime, result }) => {
      const bytes = Number(result?.bytesCopied ?? 0);
      if (startTime === undefined || completionTime === undefined || bytes === 0) return [];
      const seconds = Math.max(1, (parseTime(completionTime) - parseTime(startTime)) / 1000);
      return [{ from: transfer?.from, to: name, bytes, seconds }];
    });
  });

/**
 * The median speed, each copy counting by its bytes: a small one takes mostly as long as its pod takes to start, and a
 * single one that stalled means little.
 */
const typicalSpeed = (copies: readonly PastCopy[]): number | undefined => {
  let remainingBytes = copies.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
  for (const { bytes, seconds } of copies.toSorted(
    (a, b) => a.bytes / a.seconds - b.bytes / b.seconds,
  )) {
    remainingBytes -= bytes;
    if (remainingBytes <= 0) return bytes / seconds;
  }
  return undefined;
};

/** The observed speed of copies on a route, or else from the same source. */
const seenOn = (
  copies: readonly PastCopy[],
  from: string | undefined,
  to: string,
): { readonly measuredSpeed?: number } => {
  const fromThere = copies.filter((one) => one.from === from);
  const measuredSpeed =
    typicalSpeed(fromThere.filter((one) => one.to === to)) ?? typicalSpeed(fromThere);
  return present({ measuredSpeed });
};

const completeIn = ({ status }: Dataset): readonly string[] =>
  (status?.clusters ?? []).filter(({ state }) => state === 'Complete').map(({ name }) => name);

/** The sources of a copy without an external origin: clusters that have all mounted datasets. */
const sourcesOf = (dataset: Dataset, mounts: readonly Dataset[]): readonly string[] => {
  const names = mountedDatasets(dataset);
  if (names.length === 0) return completeIn(dataset);
  return mounts.length < new Set(names).size ? [] : inAll(mounts.map(completeIn));
};

/** The routes by which an operation can bring the data to each cluster that lacks it. */
export const plannedRoutes = (
  world: DataPlanWorld,
  holders: readonly string[],
): readonly PlannedRoute[] => {
  const { dataset, mounts, members, records, operations, claim, hasStaging = false } = world;
  if (dataset === undefined) return [];
  const { namespace = '' } = claim.metadata;
  const recordOf = (name: string) => records.find(({ metadata }) => metadata.name === name);
  const copies = pastCopies(operations);
  const able = new Map(
    members
      .filter((member) => runsPods(member, namespace).really)
      .map((member) => [member.metadata.name, member]),
  );
  const targets = [...able.keys()].filter((one) => !holders.includes(one));
  const comesFromElsewhere = hasOrigin(dataset) && mountedDatasets(dataset).length === 0;
  const sources = sourcesOf(dataset, mounts);
  const crossing: CrossingFacts = {
    loadsOwnCopies: !hasOrigin(dataset),
    canServe: (name) => {
      const member = able.get(name);
      return member !== undefined && transferAddress(member, recordOf(name)) !== undefined;
    },
    canStage: (name) => hasStaging && able.has(name),
    isReady: (name) => isConditionTrue(able.get(name)?.status?.conditions, 'Ready'),
    priceOf: (from, to) => routeTo(recordOf(from), to).pricePerGiB,
  };
  return targets.flatMap((to): readonly PlannedRoute[] => {
    if (comesFromElsewhere || sources.includes(to)) {
      return [{ to, ...seenOn(copies, undefined, to) }];
    }
    const source = sources.length === 0 ? undefined : chooseSource(sources, [to], crossing);
    if (source?.kind !== 'transfer') return [];
    const { from, path } = source;
    const observedSpeed = seenOn(copies, from, to);
    if (path === 'Staging') return [{ from, to, ...observedSpeed }];
    const { pricePerGiB, bytesPerSecond: limit } = routeTo(recordOf(from), to);
    return [
      {
        from,
        to,
        ...present({ pricePerGiB, limit }),
        ...observedSpeed,
      },
    ];
  });
};

/** The size of the data: of the last copy, else that of its origin as an upper bound. */
export const plannedBytes = ({ dataset, mounts }: DataPlanWorld): number | undefined => {
  if (dataset === undefined) return undefined;
  const sizeOf = ({ status }: Dataset): number | undefined => {
    const bytes = latestCopy(status?.clusters ?? [])?.bytes;
    return bytes === undefined ? undefined : Number(bytes);
  };
  const own = sizeOf(dataset);
  const names = new Set(mountedDatasets(dataset));
  const isMadeOfOthers = names.size > 0 && names.size === mounts.length;
  const others = mounts.map(sizeOf);
  if (own !== undefined || !isMadeOfOthers || others.includes(undefined)) return own;
  return others.reduce<number>((sum, one) => sum + (one ?? 0), 0);
};
