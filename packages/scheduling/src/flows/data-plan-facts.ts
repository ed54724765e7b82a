import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { combinePlacement } from '../data/combine-placement.ts';
import { basePlacementOf, carriedDataOf, HELD_FOR } from '../data/data-marks.ts';
import { clustersOf, locatedCluster } from '../data/locality.ts';
import { schedule } from '../placement/scheduler/schedule.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import { isUnderWay } from './claim-copy.ts';
import type { CompanionData } from './common-destination.ts';
import type { CopyAllowance, DataPlanFacts, PlannedCluster } from './data-plan.ts';
import { plannedBytes, plannedRoutes } from './data-plan-routes.ts';
import type { ClaimedData, DataPlanWorld } from './data-plan-world.ts';
import { numberOf } from './transfer-routes.ts';

/** The bindings of the work that a claim is for. */
const claimingBindings = (
  { metadata: { name }, spec: { workload } }: DataSourceClaim,
  bindings: readonly ResourceBinding[],
): readonly ResourceBinding[] =>
  bindings.filter((binding) => {
    const { resource } = binding.spec;
    const isNamed = resource.kind === workload?.kind && resource.name === workload.name;
    return isNamed || carriedDataOf(binding.metadata).some(({ claim }) => claim === name);
  });

const isSuspendedByUser = ({
  metadata,
  spec,
}: Pick<ResourceBinding, 'metadata' | 'spec'>): boolean =>
  spec.suspension?.scheduling === true && metadata.annotations?.[HELD_FOR] === undefined;

/** The clusters that have the data. */
const holdersOf = ({ source, members }: DataPlanWorld): readonly string[] => {
  const locations = new Map(members.map((one) => [one.metadata.name, locatedCluster(one)]));
  return source === undefined ? [] : clustersOf(source.spec.locality, locations);
};

const waitingWord = (status: ResourceBinding['status']) =>
  ['Admitted', 'Scheduled']
    .map((type) => findCondition(status?.conditions, type))
    .find((one) => one?.status === 'False');

/** True if work may wait for its queue, for room, or for data: a quick check, before all else is read. */
export const mayWait = ({ status }: ResourceBinding): boolean => waitingWord(status) !== undefined;

/**
 * The start of the work's wait for its queue, for room, or for data. Work that runs away from its preferred data waits,
 * too. The arrival of a copy restarts the wait.
 */
const waitsSince = (
  { spec, status, metadata }: ResourceBinding,
  { status: claimStatus }: DataSourceClaim,
  holders: readonly string[],
): number | undefined => {
  const isAtData = (spec.clusters ?? []).some(({ name }) => holders.includes(name));
  if (isAtData || isSuspendedByUser({ metadata, spec })) return undefined;
  const word = waitingWord(status);
  if (word === undefined) return undefined;
  const { completionTime } = claimStatus?.copy ?? {};
  const copiedMs = completionTime === undefined ? 0 : parseTime(completionTime);
  return Math.max(copiedMs, parseTime(word.lastTransitionTime));
};

/** The workload of a claim that has waited longest. */
export const waitingWork = (
  world: DataPlanWorld,
): { readonly binding: ResourceBinding; readonly sinceMs: number } | undefined => {
  const { claim, bindings } = world;
  const holders = holdersOf(world);
  return claimingBindings(claim, bindings)
    .flatMap((binding) => {
      const sinceMs = waitsSince(binding, claim, holders);
      return sinceMs === undefined ? [] : [{ binding, sinceMs }];
    })
    .toSorted(
      (a, b) =>
        a.sinceMs - b.sinceMs || (a.binding.metadata.name < b.binding.metadata.name ? -1 : 1),
    )[0];
};

/** Clusters that the other data of the work allows, by claim. */
interface Companion {
  readonly claim: string;
  readonly clusters: readonly string[];
}

/** The remaining copy budget of a claim; undefined without a limit. */
const allowanceOf = ({ spec, status }: DataSourceClaim): CopyAllowance | undefined => {
  const { copyLimit } = spec;
  if (copyLimit === undefined) return undefined;
  const { bytes = 0, cost = '0' } = status?.copied ?? {};
  return {
    bytes: Math.max(0, (numberOf(copyLimit.bytes) ?? 0) - Number(bytes)),
    cost: Math.max(0, (numberOf(copyLimit.cost) ?? 0) - Number(cost)),
  };
};

/** True while the place of a claim's data is undecided. */
const isOpen = ({ claim: { spec, status, metadata }, dataset }: ClaimedData): boolean => {
  const { copy } = status ?? {};
  const hasFailed = copy?.phase === 'Failed' && copy.generation === metadata.generation;
  return (
    spec.onMissing === 'Copy' &&
    spec.preference === undefined &&
    dataset !== undefined &&
    !isUnderWay(copy) &&
    !hasFailed
  );
};

/** The other claims of the work whose data may still be copied. */
const openCompanions = (
  claimNames: ReadonlySet<string>,
  world: DataPlanWorld,
): readonly CompanionData[] =>
  world.others
    .filter((one) => claimNames.has(one.claim.metadata.name) && isOpen(one))
    .map((one) => {
      const there = { ...world, ...one };
      const holders = holdersOf(there);
      const allowance = allowanceOf(one.claim);
      return {
        claim: one.claim.metadata.name,
        holders,
        bytes: plannedBytes(there),
        ways: plannedRoutes(there, holders),
        ...present({ allowance }),
      };
    });

/** The clusters that the other claims of the work allow, by data that is in place or on its way. */
const fixedCompanions = (
  claimNames: ReadonlySet<string>,
  open: readonly CompanionData[],
  { claim: { metadata }, claims }: DataPlanWorld,
): readonly Companion[] => {
  const follows = new Set(open.map(({ claim }) => claim));
  return claims.flatMap(({ claim, clusters }) => {
    const { name } = claim.metadata;
    const isOther = name !== metadata.name && claimNames.has(name) && !follows.has(name);
    if (!isOther || claim.spec.preference !== undefined) return [];
    const { copy } = claim.status ?? {};
    return [
      { claim: name, clusters: isUnderWay(copy) ? [...clusters, copy?.cluster ?? ''] : clusters },
    ];
  });
};

/** True if the scheduler would place the work in a cluster, given no other. */
const standingIn = (
  name: string,
  binding: ResourceBinding | undefined,
  companions: readonly Companion[],
  { facts }: DataPlanWorld,
): Pick<PlannedCluster, 'refusal' | 'isPassing'> => {
  if (binding === undefined) return {};
  const absentData = companions.find(({ clusters }) => !clusters.includes(name));
  if (absentData !== undefined) {
    return { refusal: `the data of the claim ${absentData.claim} is not there`, isPassing: false };
  }
  const { clusters: _, ...spec } = binding.spec;
  const base: Placement = basePlacementOf(binding.metadata) ?? spec.placement ?? {};
  const placement = combinePlacement(base, [name]);
  const { outcome } = schedule(
    { ...spec, placement },
    {},
    { clusters: facts, rules: standardRules },
  );
  if (outcome.kind === 'placed') return {};
  const verdict = outcome.reasoning.refused.find(({ cluster }) => cluster === name);
  return verdict === undefined
    ? { refusal: outcome.message, isPassing: true }
    : { refusal: verdict.message, isPassing: false };
};

/** The inputs of a plan for the data of a claim. */
export const dataPlanFacts = (world: DataPlanWorld, by: DataPlanFacts['by']): DataPlanFacts => {
  const { claim, dataset, members, bindings, nowMs } = world;
  const { namespace = '', name } = claim.metadata;
  const holders = holdersOf(world);
  const firstWork = waitingWork(world);
  const binding = firstWork?.binding ?? claimingBindings(claim, bindings)[0];
  const claimNames = new Set(
    binding === undefined ? [] : carriedDataOf(binding.metadata).map((one) => one.claim),
  );
  const companions = openCompanions(claimNames, world);
  const otherCompanions = fixedCompanions(claimNames, companions, world);
  const { workload } = claim.spec;
  const { resource } = binding?.spec ?? {};
  const allowance = allowanceOf(claim);
  return {
    claim: name,
    work:
      resource !== undefined
        ? `${resource.kind} ${resource.name}`
        : workload === undefined
          ? 'work that its selector means'
          : `${workload.kind} ${workload.name}`,
    namespace,
    dataset: dataset?.metadata.name,
    bytes: plannedBytes(world),
    clusters: members.map(({ metadata }) => ({
      name: metadata.name,
      hasData: holders.includes(metadata.name),
      ...standingIn(metadata.name, binding, otherCompanions, world),
    })),
    ways: plannedRoutes(world, holders),
    waitedSeconds:
      firstWork === undefined
        ? undefined
        : Math.max(0, Math.round((nowMs - firstWork.sinceMs) / 1000)),
    by,
    companions,
    ...present({ allowance }),
  };
};
