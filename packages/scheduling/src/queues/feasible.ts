import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { CarriedPlacement } from '../data/carried-placement.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import { emptyCluster, holds } from '../placement/scheduler/estimate/take-room.ts';
import type { Outcome } from '../placement/scheduler/outcome.ts';
import type { PlacementWorld } from '../placement/scheduler/place.ts';
import { schedule } from '../placement/scheduler/schedule.ts';
import type { PromisedRoom } from './promised-room.ts';
import { missingAmounts, shortagesOf, shortageText } from './room-shortage.ts';
import type { Feasibility } from './work-item.ts';
import { podsOfWork } from './work-pods.ts';

/** The part of a binding that placement reads. */
export interface PlacedWork {
  readonly spec: BindingSpec;
  readonly status: BindingStatus;
  readonly dataPlacement?: CarriedPlacement;
}

/** Filters whose refusal is temporary: they do not prove that work never fits. */
const PASSING: ReadonlySet<string> = new Set([
  'TaintToleration',
  'ClusterEviction',
  'WorkloadAffinity',
  'WorkloadAntiAffinity',
]);

/** The pods that a target gets in addition to those it already has. */
const newPods = ({ spec }: PlacedWork, target: TargetCluster): readonly SetPart[] => {
  const before = (spec.clusters ?? []).find(({ name }) => name === target.name);
  if (before === undefined) return podsOfWork(spec, target.replicas);
  return before.replicas === undefined
    ? []
    : podsOfWork(spec, Math.max(0, (target.replicas ?? 0) - before.replicas));
};

interface Trial {
  readonly outcome: Outcome;
  /** The clusters that pass the filters under any affinity term. */
  readonly candidates: readonly string[];
  /** The targets without room for their part. */
  readonly tooSmall: readonly TargetCluster[];
}

/**
 * Runs the scheduler, then checks that every target has room for its part: static weights do not
 * check room.
 */
const tryIn = (work: PlacedWork, world: PlacementWorld): Trial => {
  const { spec, status, dataPlacement } = work;
  const { outcome, attempts } = schedule(spec, status, world, dataPlacement);
  const allCandidates = attempts.flatMap(({ reasoning }) => reasoning.candidates);
  const candidates = [...new Set(allCandidates.map(({ name }) => name))];
  if (outcome.kind === 'refused') return { outcome, candidates, tooSmall: [] };
  const byName = new Map(world.clusters.map((cluster) => [cluster.name, cluster]));
  const tooSmall = outcome.clusters.filter((target) => {
    const cluster = byName.get(target.name);
    return cluster !== undefined && !holds(cluster, newPods(work, target));
  });
  return { outcome, candidates, tooSmall };
};

const isIn = ({ outcome, tooSmall }: Trial): boolean =>
  outcome.kind === 'placed' && tooSmall.length === 0;

const emptyWorlds = new WeakMap<readonly ClusterFacts[], readonly ClusterFacts[]>();

/** The clusters with no pods running; clusters whose capacity is unknown are left out. */
const emptyClusters = (clusters: readonly ClusterFacts[]): readonly ClusterFacts[] => {
  const cachedClusters = emptyWorlds.get(clusters);
  if (cachedClusters !== undefined) return cachedClusters;
  const empty = clusters.flatMap((cluster) => emptyCluster(cluster) ?? []);
  emptyWorlds.set(clusters, empty);
  return empty;
};

/**
 * Explains why work would not fit even in empty clusters; undefined if it would, or if that is
 * unknown.
 */
const whyNever = (work: PlacedWork, world: PlacementWorld): string | undefined => {
  const clusters = emptyClusters(world.clusters);
  if (isIn(tryIn(work, { ...world, clusters }))) return undefined;
  const filters = world.rules.filters.filter(({ name }) => !PASSING.has(name));
  const rules = { ...world.rules, filters };
  const lenient = tryIn(work, { clusters, rules });
  if (isIn(lenient)) return undefined;
  const unknown = world.clusters.filter((cluster) => emptyCluster(cluster) === undefined);
  if (tryIn(work, { clusters: unknown, rules }).candidates.length > 0) return undefined;
  const { outcome, tooSmall, candidates } = lenient;
  if (outcome.kind === 'refused' && candidates.length === 0) return outcome.message;
  return `it would not fit if nothing else ran: ${shortageText(shortagesOf(work.spec, outcome, tooSmall, clusters))}`;
};

/**
 * Places work on the free room minus the room promised to other work. It calls the scheduler's own
 * functions, so that the scheduler decides the same. Where those ignore room (static weights,
 * duplicated work), each target is checked for its part.
 */
export const feasible = (
  work: PlacedWork,
  world: PlacementWorld,
  promises: PromisedRoom,
): Feasibility => {
  const clusters = world.clusters.map((cluster) => promises.restOf(cluster));
  const trial = tryIn(work, { ...world, clusters });
  const { outcome, tooSmall } = trial;
  if (outcome.kind === 'placed' && isIn(trial)) {
    return {
      kind: 'fits',
      clusters: Object.fromEntries(
        outcome.clusters.map(({ name, replicas = 0 }) => [name, replicas]),
      ),
    };
  }
  const why = whyNever(work, world);
  if (why !== undefined) return { kind: 'never', why };
  const shortages = shortagesOf(work.spec, outcome, tooSmall, clusters);
  return {
    kind: 'not-now',
    missing: missingAmounts(shortages),
    clusters: trial.candidates,
    ...present({ shortages: unlessEmpty(shortages) }),
  };
};
