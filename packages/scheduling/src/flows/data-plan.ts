import type { JsonObject } from '@perigee/schema/json';
import { type CompanionData, othersIn, together } from './common-destination.ts';
import { copyBy } from './copy-choice.ts';

/** A cluster as a plan for data sees it. */
export interface PlannedCluster {
  readonly name: string;
  /** True if the cluster has all of the data. */
  readonly hasData: boolean;
  /** Why the work cannot run there now, if it cannot, though the data were there. */
  readonly refusal?: string;
  /** True if the obstacle may pass by itself: no room now, or a queue. */
  readonly isPassing?: boolean;
}

/** A way by which the data can come to a cluster. */
export interface PlannedWay {
  /** The cluster that it comes from; absent when that is the origin of the dataset. */
  readonly from?: string;
  readonly to: string;
  readonly pricePerGiB?: number;
  /** The bandwidth limit. */
  readonly limit?: number;
  /** The observed speed, on this way or on similar ones. */
  readonly seen?: number;
}

/** The remaining copy budget of a claim. */
export interface CopyAllowance {
  readonly bytes: number;
  readonly cost: number;
}

/** The data of a claim, as far as it can be copied. */
export interface CopiedData {
  readonly bytes: number | undefined;
  readonly ways: readonly PlannedWay[];
  /** The copy budget, if the claim sets one. */
  readonly allowance?: CopyAllowance;
}

export interface DataPlanFacts extends CopiedData {
  readonly claim: string;
  readonly work: string;
  readonly namespace: string;
  /** The dataset that the claim is about; other data cannot be copied. */
  readonly dataset: string | undefined;
  readonly clusters: readonly PlannedCluster[];
  /** The other claims of the work whose data may be copied as well, and whose clusters are decided with this one's. */
  readonly companions?: readonly CompanionData[];
  /** For how long the work has been waiting, as far as that is known: it will be at least as long again. */
  readonly waitedSeconds: number | undefined;
  /** The criterion that counts first. */
  readonly by: 'time' | 'money';
}

/** One of the things that can be done. */
export interface DataChoice {
  readonly does: 'Run' | 'Copy' | 'Wait';
  readonly clusters: readonly string[];
  /** For copies: the cluster that the data comes from, or `origin`. */
  readonly from?: string;
  /** Absent when nobody can say. */
  readonly seconds?: number;
  /** True if the time is a lower bound. */
  readonly isAtLeast?: boolean;
  /** Absent without a price. */
  readonly cost?: number;
  readonly bytes?: number;
  readonly bytesPerSecond?: number;
  /** The origin of the speed. */
  readonly speed?: 'seen' | 'limit' | 'assumed';
  /** Why it is never the best, of a copy that would take more than the claim allows. */
  readonly overLimit?: string;
  /** What it takes with the other data of the work, where that has to be copied as well: by this it is compared. */
  readonly together?: { readonly seconds?: number; readonly cost: number };
  readonly why: string;
}

export interface DataPlan {
  readonly claim: string;
  readonly work: string;
  readonly best: DataChoice | undefined;
  readonly choices: readonly DataChoice[];
  /** The flow that does what is best, when something has to be done. */
  readonly flow: readonly JsonObject[];
  /** Why there is no choice. */
  readonly message?: string;
}

const LONGEST_NAME = 63;

const secondsOf = ({ together, seconds }: DataChoice): number =>
  (together ?? { seconds }).seconds ?? Number.POSITIVE_INFINITY;
const costOf = ({ together, cost }: DataChoice): number => together?.cost ?? cost ?? 0;
const isAtOnce = ({ does, together }: DataChoice): boolean =>
  does === 'Run' && together === undefined;

/**
 * To run at once is always best, and never what a claim does not allow. Of the others, the one that is soonest, or
 * cheapest, and of equals the other way.
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

/** The operation that takes a dataset to a cluster. */
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
  const said = clusters
    .flatMap(({ name, refusal }) => (refusal === undefined ? [] : [`${name}: ${refusal}`]))
    .slice(0, 5)
    .join('; ');
  if (holders.length === 0 && dataset === undefined) {
    return 'no cluster has the data, and it is no Dataset, so that nothing here can copy it';
  }
  return `no cluster can run the work${said === '' ? '' : `: ${said}`}`;
};

/**
 * The options for work that needs data: run it where the data is, copy the data to a cluster with room, or wait for
 * room where the data is; ranked by time and money. Claims of the same work rank clusters alike, so that all of its data
 * comes to the same one.
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
      ...ways.filter(({ to }) => open.has(to)).map((way) => copyBy(way, facts)),
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
    ...(best === undefined ? { message: withoutChoice({ ...facts, clusters }, choices) } : {}),
  };
};
