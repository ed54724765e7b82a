import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { parseTime } from '@perigee/api/values/time';
import { runsPods } from '../clusters/inventory/runs-pods.ts';
import { combinePlacement } from '../data/combine-placement.ts';
import { basePlacementOf, carriedDataOf } from '../data/data-marks.ts';
import { clustersOf, locatedCluster } from '../data/locality.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import { schedule } from '../placement/scheduler/schedule.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import type { DataPlanFacts, PlannedCluster, PlannedWay } from './data-plan.ts';
import { type Operation, statusOf } from './operation.ts';
import { transferAddress, wayTo } from './transfer-routes.ts';
import { hasOrigin, mountedDatasets } from './written-data.ts';

/** What a plan for the data of a claim rests on, as it is read. */
export interface DataPlanWorld {
  readonly nowMs: number;
  readonly claim: DataSourceClaim;
  /** The data, as far as somebody has registered it. */
  readonly source: DataSource | undefined;
  /** The dataset that it is, if it is one of the namespace of the claim. */
  readonly dataset: Dataset | undefined;
  readonly members: readonly MemberCluster[];
  readonly facts: readonly ClusterFacts[];
  readonly records: readonly ClusterRecord[];
  /** The bindings and the operations of the namespace. */
  readonly bindings: readonly ResourceBinding[];
  readonly operations: readonly Operation[];
}

const FLUID = { system: 'fluid', type: 'dataset' };

/** The dataset of its own namespace that a claim is about, by the name that it has for claims. */
export const claimedDataset = ({ metadata, spec }: DataSourceClaim): string | undefined => {
  if (spec.system !== FLUID.system || spec.dataSourceType !== FLUID.type) return undefined;
  const [namespace, name, ...more] = (spec.dataSourceName ?? '').split('/');
  return namespace === metadata.namespace && more.length === 0 ? name : undefined;
};

/** The binding of the work that a claim is for. */
const claimingBinding = (
  { metadata: { name }, spec: { workload } }: DataSourceClaim,
  bindings: readonly ResourceBinding[],
): ResourceBinding | undefined =>
  bindings.find((binding) => {
    const { resource } = binding.spec;
    const isNamed = resource.kind === workload?.kind && resource.name === workload.name;
    return isNamed || carriedDataOf(binding.metadata).some(({ claim }) => claim === name);
  });

const median = (numbers: readonly number[]): number | undefined =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Copies that are over: whence, whither, how fast. */
const speedsOf = (operations: readonly Operation[]) =>
  operations.flatMap((operation) => {
    const { transfer, clusters = [] } = statusOf(operation);
    return clusters.flatMap(({ name, startTime, completionTime, result }) => {
      const bytes = Number(result?.bytesCopied ?? 0);
      if (startTime === undefined || completionTime === undefined || bytes === 0) return [];
      const seconds = Math.max(1, (parseTime(completionTime) - parseTime(startTime)) / 1000);
      return [{ from: transfer?.from, to: name, rate: bytes / seconds }];
    });
  });

/** How fast copies were on a way, or else out of the same place. */
const seenOn = (
  speeds: ReturnType<typeof speedsOf>,
  from: string | undefined,
  to: string,
): number | undefined => {
  const rates = (those: typeof speeds) => median(those.map(({ rate }) => rate));
  const fromThere = speeds.filter((one) => one.from === from);
  return rates(fromThere.filter((one) => one.to === to)) ?? rates(fromThere);
};

const waysOf = (
  { dataset, members, records, operations, claim }: DataPlanWorld,
  holders: readonly string[],
): readonly PlannedWay[] => {
  if (dataset === undefined) return [];
  const { namespace = '' } = claim.metadata;
  const recordOf = (name: string) => records.find(({ metadata }) => metadata.name === name);
  const speeds = speedsOf(operations);
  const able = members.filter((member) => runsPods(member, namespace).really);
  const targets = able.map(({ metadata }) => metadata.name).filter((one) => !holders.includes(one));
  const comesFromClusters = !hasOrigin(dataset) || mountedDatasets(dataset).length > 0;
  if (!comesFromClusters) {
    return targets.map((to) => {
      const seen = seenOn(speeds, undefined, to);
      return { to, ...(seen === undefined ? {} : { seen }) };
    });
  }
  const servers = able.filter(
    (member) =>
      holders.includes(member.metadata.name) &&
      transferAddress(member, recordOf(member.metadata.name)) !== undefined,
  );
  return servers.flatMap(({ metadata: { name: from } }) =>
    targets.map((to) => {
      const { pricePerGiB, bytesPerSecond: limit } = wayTo(recordOf(from), to);
      const seen = seenOn(speeds, from, to);
      return {
        from,
        to,
        ...(pricePerGiB === undefined ? {} : { pricePerGiB }),
        ...(limit === undefined ? {} : { limit }),
        ...(seen === undefined ? {} : { seen }),
      };
    }),
  );
};

/** Whether the work could run in a cluster, by the decision of the scheduler for that cluster alone. */
const standingIn = (
  name: string,
  binding: ResourceBinding | undefined,
  { facts }: DataPlanWorld,
): Pick<PlannedCluster, 'refusal' | 'isPassing'> => {
  if (binding === undefined) return {};
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

/** For how long work has been waiting: for its turn, for room, or for data. */
const waitOf = (binding: ResourceBinding | undefined, nowMs: number): number | undefined => {
  if (binding === undefined || (binding.spec.clusters ?? []).length > 0) return undefined;
  const { conditions } = binding.status ?? {};
  const word = ['Admitted', 'Scheduled']
    .map((type) => findCondition(conditions, type))
    .find((one) => one?.status === 'False');
  if (word === undefined) return undefined;
  return Math.max(0, Math.round((nowMs - parseTime(word.lastTransitionTime)) / 1000));
};

/** The facts of a plan for the data of a claim. */
export const dataPlanFacts = (world: DataPlanWorld, by: DataPlanFacts['by']): DataPlanFacts => {
  const { claim, source, dataset, members, bindings, nowMs } = world;
  const { namespace = '', name } = claim.metadata;
  const located = new Map(members.map((one) => [one.metadata.name, locatedCluster(one)]));
  const holders = source === undefined ? [] : clustersOf(source.spec.locality, located);
  const binding = claimingBinding(claim, bindings);
  const { workload } = claim.spec;
  const copies = dataset?.status?.clusters ?? [];
  const bytes = copies.find(({ state, bytes: size }) => state === 'Complete' && size !== undefined);
  const { resource } = binding?.spec ?? {};
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
    bytes: bytes?.bytes === undefined ? undefined : Number(bytes.bytes),
    clusters: members.map(({ metadata }) => ({
      name: metadata.name,
      hasData: holders.includes(metadata.name),
      ...standingIn(metadata.name, binding, world),
    })),
    ways: waysOf(world, holders),
    waitedSeconds: waitOf(binding, nowMs),
    by,
  };
};
