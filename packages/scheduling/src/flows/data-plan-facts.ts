import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { parseTime } from '@perigee/schema/values/time';
import { combinePlacement } from '../data/combine-placement.ts';
import { basePlacementOf, carriedDataOf, HELD_FOR } from '../data/data-marks.ts';
import { clustersOf, locatedCluster } from '../data/locality.ts';
import { schedule } from '../placement/scheduler/schedule.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import type { CopyAllowance, DataPlanFacts, PlannedCluster } from './data-plan.ts';
import { plannedBytes, plannedWays } from './data-plan-ways.ts';
import type { DataPlanWorld } from './data-plan-world.ts';
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
  const located = new Map(members.map((one) => [one.metadata.name, locatedCluster(one)]));
  return source === undefined ? [] : clustersOf(source.spec.locality, located);
};

/**
 * Since when work has been waiting: for its turn, for room, or for data. So does what runs, and should be where the data
 * is. A copy that came begins the wait anew.
 */
const waitsSince = (
  { spec, status, metadata }: ResourceBinding,
  { status: claimed }: DataSourceClaim,
  holders: readonly string[],
): number | undefined => {
  const isAtData = (spec.clusters ?? []).some(({ name }) => holders.includes(name));
  if (isAtData || isSuspendedByUser({ metadata, spec })) return undefined;
  const word = ['Admitted', 'Scheduled']
    .map((type) => findCondition(status?.conditions, type))
    .find((one) => one?.status === 'False');
  if (word === undefined) return undefined;
  const { completionTime } = claimed?.copy ?? {};
  const copiedMs = completionTime === undefined ? 0 : parseTime(completionTime);
  return Math.max(copiedMs, parseTime(word.lastTransitionTime));
};

/** Work that a claim is for and that waits: the one that has waited longest. */
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

/** Clusters that the other data of the work leaves, by the claim that says so. */
interface Companion {
  readonly claim: string;
  readonly clusters: readonly string[];
}

const isUnderWay = ({ status }: DataSourceClaim): boolean =>
  status?.copy?.phase === 'Planned' || status?.copy?.phase === 'Copying';

/**
 * The clusters that the other claims of the work allow. Of several claims that may have data copied, one decides after
 * the other, by name: later ones follow earlier ones.
 */
const companionsOf = (
  binding: ResourceBinding | undefined,
  { claim: { metadata }, claims }: DataPlanWorld,
): readonly Companion[] => {
  const carried = new Set(
    binding === undefined ? [] : carriedDataOf(binding.metadata).map(({ claim }) => claim),
  );
  return claims.flatMap(({ claim, clusters }) => {
    const { name } = claim.metadata;
    const { preference, onMissing } = claim.spec;
    if (name === metadata.name || preference !== undefined || !carried.has(name)) return [];
    const coming = isUnderWay(claim) ? [claim.status?.copy?.cluster ?? ''] : [];
    const follows = onMissing === 'Copy' && coming.length === 0 && name > metadata.name;
    return follows ? [] : [{ claim: name, clusters: [...clusters, ...coming] }];
  });
};

/** True if the scheduler would place the work in a cluster, if it were the only one. */
const standingIn = (
  name: string,
  binding: ResourceBinding | undefined,
  companions: readonly Companion[],
  { facts }: DataPlanWorld,
): Pick<PlannedCluster, 'refusal' | 'isPassing'> => {
  if (binding === undefined) return {};
  const missing = companions.find(({ clusters }) => !clusters.includes(name));
  if (missing !== undefined) {
    return { refusal: `the data of the claim ${missing.claim} is not there`, isPassing: false };
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

/** The facts of a plan for the data of a claim. */
export const dataPlanFacts = (world: DataPlanWorld, by: DataPlanFacts['by']): DataPlanFacts => {
  const { claim, dataset, members, bindings, nowMs } = world;
  const { namespace = '', name } = claim.metadata;
  const holders = holdersOf(world);
  const waiting = waitingWork(world);
  const binding = waiting?.binding ?? claimingBindings(claim, bindings)[0];
  const companions = companionsOf(binding, world);
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
      ...standingIn(metadata.name, binding, companions, world),
    })),
    ways: plannedWays(world, holders),
    waitedSeconds:
      waiting === undefined ? undefined : Math.max(0, Math.round((nowMs - waiting.sinceMs) / 1000)),
    by,
    ...(allowance === undefined ? {} : { allowance }),
  };
};
