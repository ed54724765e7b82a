import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { type CompanionData, othersIn, together } from './common-destination.ts';
import { copyBy } from './copy-choice.ts';

/** A cluster as a plan for data sees it. */
export interface PlannedCluster {
  readonly name: string;
  /** True if the cluster has all of the data. */
  readonly hasData: boolean;
  /** The reason why the work could not run there even with the data; absent if it could. */
  readonly refusal?: string;
  /** True if the reason is transient: lack of room, or a queue. */
  readonly isPassing?: boolean;
}

/** A route of the data to a cluster. */
export interface PlannedRoute {
  /** The source cluster; absent for the origin of the dataset. */
  readonly from?: string;
  readonly to: string;
  readonly pricePerGiB?: number;
  /** The bandwidth limit. */
  readonly limit?: number;
  /** The observed speed, on this route or on similar ones. */
  readonly measuredSpeed?: number;
}

/** The remaining copy budget of a claim. */
export interface CopyAllowance {
  readonly bytes: number;
  readonly cost: number;
}

/** The data of a claim, if it can be copied. */
export interface CopiedData {
  readonly bytes: number | undefined;
  readonly ways: readonly PlannedRoute[];
  /** The copy budget, if the claim sets one. */
  readonly allowance?: CopyAllowance;
}

export interface DataPlanFacts extends CopiedData {
  readonly claim: string;
  readonly work: string;
  readonly namespace: string;
  /** The dataset of the claim; other data cannot be copied. */
  readonly dataset: string | undefined;
  readonly clusters: readonly PlannedCluster[];
  /** The other claims of the work whose data may be copied, too: all share one choice of cluster. */
  readonly companions?: readonly CompanionData[];
  /** The time that the work has waited, if known: the estimate of its further wait. */
  readonly waitedSeconds: number | undefined;
  /** The first criterion. */
  readonly by: 'time' | 'money';
}

/** One option. */
export interface DataChoice {
  readonly does: 'Run' | 'Copy' | 'Wait';
  readonly clusters: readonly string[];
  /** For copies: the source cluster, or `origin`. */
  readonly from?: string;
  /** Absent if unknown. */
  readonly seconds?: number;
  /** True if the time is a lower bound. */
  readonly isAtLeast?: boolean;
  /** Absent without a price. */
  readonly cost?: number;
  readonly bytes?: number;
  readonly bytesPerSecond?: number;
  /** The origin of the speed. */
  readonly speed?: 'seen' | 'limit' | 'assumed';
  /** The limit of the claim that the copy would exceed; such a copy is never the best. */
  readonly overLimit?: string;
  /** Time and cost including the work's other data that must be copied, too; the choice is ranked by these. */
  readonly together?: { readonly seconds?: number; readonly cost: number };
  readonly why: string;
}

export interface DataPlan {
  readonly claim: string;
  readonly work: string;
  readonly best: DataChoice | undefined;
  readonly choices: readonly DataChoice[];
  /** The operations of the best choice; empty if it needs none. */
  readonly flow: readonly JsonObject[];
  /** The reason why there is no best choice. */
  readonly message?: string;
}

const LONGEST_NAME = 63;

const secondsOf = ({ together, seconds }: DataChoice): number =>
  (together ?? { seconds }).seconds ?? Number.POSITIVE_INFINITY;
const costOf = ({ together, cost }: DataChoice): number => together?.cost ?? cost ?? 0;
const isAtOnce = ({ does, together }: DataChoice): boolean =>
  does === 'Run' && together === undefined;

/**
 * Order of choices: running at once first, and those beyond the claim's limit last. In between by time or cost, ties
 * by the other one.
 */
const byMerit =
  (by: DataPlanFacts['by']) =>
  (a: DataChoice, b: DataChoice): number => {
    const isRun = Number(isAtOnce(b)) - Number(isAtOnce(a));
    const isOver = Number(a.overLimit !== undefined) - Number(b.overLimit !== undefined);
    if (isRun !== 0 || isOver !== 0) return isRun || isOver;
    const time = Math.sign(secondsOf(a) - secondsOf(b)) || 0;
    const money = costOf(a) - costOf(b);
    const name = (a.clusters[0] ?? '') < (b.clusters[0] ?? '') ? -1 : 1;
    return by === 'time' ? time || money || name : money || time || name;
  };

const nameFor = (dataset: string, cluster: string): string =>
  `${dataset}-to-${cluster}`.replaceAll('.', '-').slice(0, LONGEST_NAME).replace(/-+$/, '');

/** The operation that brings a dataset to a cluster. */
const flowOf = (
  { does, clusters }: DataChoice,
  { dataset, namespace }: DataPlanFacts,
): readonly JsonObject[] => {
  const [cluster] = clusters;
  if (does !== 'Copy' || dataset === undefined || cluster === undefined) return [];
  return [
    {
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataLoad',
      metadata: { namespace, name: nameFor(dataset, cluster) },
      spec: {
        dataset: { name: dataset },
        placement: { clusterAffinity: { clusterNames: [cluster] } },
      },
    },
  ];
};

const withoutChoice = (
  { clusters, dataset }: DataPlanFacts,
  choices: readonly DataChoice[],
): string => {
  const [over] = choices;
  if (over?.overLimit !== undefined) {
    return `to copy the data to ${over.clusters.join(', ')} is more than the claim allows: ${over.overLimit}`;
  }
  const holders = clusters.filter(({ hasData }) => hasData);
  const refusals = clusters
    .flatMap(({ name, refusal }) => (refusal === undefined ? [] : [`${name}: ${refusal}`]))
    .slice(0, 5)
    .join('; ');
  if (holders.length === 0 && dataset === undefined) {
    return 'no cluster has the data, and it is no Dataset, so that nothing here can copy it';
  }
  return `no cluster can run the work${refusals === '' ? '' : `: ${refusals}`}`;
};

/**
 * The options for work that needs data: run it where the data is, copy the data to a cluster with room, or wait for
 * room where the data is; ranked by time and cost. Claims of the same work rank clusters equally, so that all of its
 * data comes to the same one.
 */
export const planData = (facts: DataPlanFacts): DataPlan => {
  const { claim, work, ways, waitedSeconds, by, companions = [] } = facts;
  const others = new Map(
    facts.clusters.map(({ name }) => [name, othersIn(name, companions, by)] as const),
  );
  const clusters = facts.clusters.map((one): PlannedCluster => {
    const other = others.get(one.name);
    return other?.kind !== 'never' || one.refusal !== undefined
      ? one
      : { ...one, refusal: other.why, isPassing: false };
  });
  const holders = clusters.filter(({ hasData }) => hasData);
  const ready = holders.filter(({ refusal }) => refusal === undefined).map(({ name }) => name);
  const isWhole = (name: string): boolean => others.get(name)?.kind === 'there';
  const later = holders.filter(
    ({ name, refusal, isPassing }) => refusal !== undefined && isPassing && isWhole(name),
  );
  const open = new Set(
    clusters.filter((one) => !one.hasData && one.refusal === undefined).map(({ name }) => name),
  );
  const runIn = (names: readonly string[]): DataChoice => ({
    does: 'Run',
    clusters: names,
    seconds: 0,
    cost: 0,
    why: `the data is there, and so is room`,
  });
  const wait: DataChoice = {
    does: 'Wait',
    clusters: later.map(({ name }) => name),
    ...(waitedSeconds === undefined ? {} : { seconds: waitedSeconds, isAtLeast: true }),
    cost: 0,
    why: `the data is there: ${later.map(({ name, refusal }) => `${name}: ${refusal}`).join('; ')}`,
  };
  const whole = ready.filter(isWhole);
  const choices = [
    ...(whole.length > 0 ? [runIn(whole)] : []),
    ...[
      ...ready.filter((name) => !isWhole(name)).map((name) => runIn([name])),
      ...ways.filter(({ to }) => open.has(to)).map((route) => copyBy(route, facts)),
    ].map((one) => together(one, others.get(one.clusters[0] ?? ''))),
    ...(later.length > 0 ? [wait] : []),
  ].sort(byMerit(by));
  const best = choices.find(({ overLimit }) => overLimit === undefined);
  return {
    claim,
    work,
    best,
    choices,
    flow: best === undefined ? [] : flowOf(best, facts),
    ...present({
      message: best === undefined ? withoutChoice({ ...facts, clusters }, choices) : undefined,
    }),
  };
};
