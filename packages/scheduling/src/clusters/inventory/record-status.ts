import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Condition } from '@perigee/api/meta/condition';
import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition, type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { formatTime } from '@perigee/api/values/time';
import { type Finding, type Offer, TROUBLES, type Trouble } from './finding.ts';
import { clusterIdOf, sameClusterCondition, UNIQUE } from './same-cluster.ts';
import { targetCondition } from './target-condition.ts';

type Status = NonNullable<ClusterRecord['status']>;

/** The part of a record's status that the inventory writes. The rest belongs to the assignment. */
export type InventoryStatus = Omit<Status, 'homeScheduler' | 'bindingEpoch'>;

const AMOUNTS_KNOWN = 'AmountsKnown';
/** Those that stand there only when there is something to say. */
const OCCASIONAL: readonly string[] = [AMOUNTS_KNOWN, UNIQUE];
const CONDITIONS: readonly string[] = ['Ready', 'ExecutionTarget', ...OCCASIONAL];

/** What the inventory wrote of a record's status. */
export const inventoryPart = ({ status = {} }: ClusterRecord): InventoryStatus => {
  const { homeScheduler: _, bindingEpoch: __, conditions, ...part } = status;
  if (conditions === undefined) return part;
  return { ...part, conditions: conditions.filter(({ type }) => CONDITIONS.includes(type)) };
};

/** An API server repeats what it refuses, and that may be long. */
const LONGEST_MESSAGE = 1024;

interface Verdict {
  readonly phase: NonNullable<Status['phase']>;
  readonly status: Condition['status'];
  readonly reason: Trouble | 'ClusterReady';
  readonly message: string;
}

const READY: Verdict = {
  phase: 'Ready',
  status: 'True',
  reason: 'ClusterReady',
  message: 'the cluster answers and is well',
};

const trouble = (reason: Trouble, message: string): Verdict => {
  const phase = TROUBLES[reason];
  const isOpen = phase === 'Pending' || phase === 'Unknown';
  return { phase, status: isOpen ? 'Unknown' : 'False', reason, message };
};

const notYet = (message: string): Verdict => trouble('NotSeenYet', message);

/** What the condition of the target means when a look at the cluster found nothing wrong. */
const verdictOfTarget = (ready: Condition | undefined): Verdict => {
  if (ready === undefined) return notYet('its execution target has not been looked at yet');
  if (ready.status === 'True') return READY;
  if (ready.status === 'Unknown') return trouble('AgentSilent', ready.message);
  return trouble(
    'ClusterNotReady',
    `it does not count as ready yet, because until now: ${ready.message}`,
  );
};

/**
 * How the cluster is. What its execution target says goes before a single look, because it is not upset by
 * one that fails; but why a cluster is not well, the look knows better.
 */
const verdictOf = (
  finding: Finding | undefined,
  target: MemberCluster | undefined,
  isPlaceable: boolean,
): Verdict => {
  const ready = findCondition(target?.status?.conditions, 'Ready');
  if (isPlaceable && ready?.status === 'True') return READY;
  if (finding === undefined) return notYet('the first look at it is still to come');
  if (finding.kind === 'trouble') return trouble(finding.reason, finding.message);
  return isPlaceable ? verdictOfTarget(ready) : READY;
};

/**
 * The offer without lists of amounts that are empty. Whoever applies an empty one after others takes all of its
 * fields away, and to a Kubernetes API server that leaves null: the whole status would be refused.
 */
const withoutEmpty = (offer: Offer): Offer =>
  Object.fromEntries(
    Object.entries(offer).filter(([, part]) => part !== undefined && Object.keys(part).length > 0),
  );

/** What all nodes have is not told by a target; what they can give to workloads is. */
const offerOf = (
  finding: Finding | undefined,
  target: MemberCluster | undefined,
): Offer | undefined => {
  if (finding?.kind === 'well' && finding.offer !== undefined) return withoutEmpty(finding.offer);
  const { allocatable, allocated } = target?.status?.resourceSummary ?? {};
  if (allocatable === undefined) return undefined;
  return withoutEmpty({ capacity: allocatable, allocatable, ...(allocated && { allocated }) });
};

const before = ({ status = {} }: ClusterRecord): Offer => {
  const { capacity, allocatable, allocated, flavors, storageTypes } = status;
  return withoutEmpty({
    ...(capacity && { capacity }),
    ...(allocatable && { allocatable }),
    ...(allocated && { allocated }),
    ...(flavors && { flavors }),
    ...(storageTypes && { storageTypes }),
  });
};

export interface Observation {
  readonly record: ClusterRecord;
  /** Its execution target, if it has one. */
  readonly target?: MemberCluster;
  /** The last look at the cluster; absent before the first. */
  readonly finding?: Finding;
  /** What the record asks of its target; absent for clusters that take no Kubernetes objects. */
  readonly wishes?: Parameters<typeof targetCondition>[1];
  /** The name under which the same cluster was known before. */
  readonly sameAs?: string;
  readonly nowMs: number;
}

/** By which uid the cluster is known: as it says itself, else as its execution target says. */
export const identityIn = ({
  record,
  target,
  finding,
}: Pick<Observation, 'record' | 'target' | 'finding'>): string | undefined =>
  (finding?.kind === 'well' ? finding.clusterID : undefined) ??
  (target?.spec.id || undefined) ??
  clusterIdOf(record);

const seenAt = ({ finding, nowMs }: Observation, { phase }: Verdict): number | undefined => {
  if (finding?.kind === 'well') return finding.atMs;
  return finding?.kind === 'reported' && phase === 'Ready' ? nowMs : undefined;
};

/** What the inventory says of a cluster, after a look at it and at its execution target. */
export const recordStatus = (observation: Observation): InventoryStatus => {
  const { record, target, finding, wishes, sameAs, nowMs } = observation;
  const { status = {}, metadata } = record;
  const { generation } = metadata;
  const verdict = verdictOf(finding, target, wishes !== undefined);
  const { phase, status: holds, reason, message } = verdict;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions: readonly NewCondition<'ClusterRecord'>[] = [
    { type: 'Ready', status: holds, reason, message, ...observed },
    { ...targetCondition(record, wishes, target), ...observed },
    ...(sameAs === undefined ? [] : [{ ...sameClusterCondition(sameAs), ...observed }]),
  ];
  const kept = (inventoryPart(record).conditions ?? []).filter(
    ({ type }) => !OCCASIONAL.includes(type) || conditions.some((one) => one.type === type),
  );
  const clusterID = identityIn(observation);
  const offer = offerOf(finding, target);
  const seen = seenAt(observation, verdict);
  const lastSeenTime = seen === undefined ? status.lastSeenTime : formatTime(seen);
  const resourcesObservedTime =
    offer === undefined ? status.resourcesObservedTime : formatTime(nowMs);
  return {
    phase,
    conditions: conditions.reduce<readonly ConditionOf<'ClusterRecord'>[]>(
      (all, condition) => setCondition(all, condition, nowMs),
      kept,
    ),
    ...observed,
    ...(clusterID === undefined ? {} : { clusterID }),
    ...(lastSeenTime === undefined ? {} : { lastSeenTime }),
    ...(offer ?? before(record)),
    ...(resourcesObservedTime === undefined ? {} : { resourcesObservedTime }),
  };
};

/**
 * The same without the amounts, which the API server would not take: how a cluster is must be told whatever it
 * says of itself.
 */
export const withoutAmounts = (
  {
    capacity: _,
    allocatable: __,
    allocated: ___,
    flavors,
    storageTypes,
    ...status
  }: InventoryStatus,
  record: ClusterRecord,
  { why, nowMs }: { readonly why: string; readonly nowMs: number },
): InventoryStatus => {
  const old = findCondition(record.status?.conditions, AMOUNTS_KNOWN);
  const condition: NewCondition<'ClusterRecord'> = {
    type: AMOUNTS_KNOWN,
    status: 'False',
    reason: 'AmountsRefused',
    message: `what the cluster says that it has was left out: ${why}`.slice(0, LONGEST_MESSAGE),
  };
  return {
    ...status,
    conditions: [
      ...(status.conditions ?? []),
      ...setCondition(old === undefined ? [] : [old], condition, nowMs),
    ],
  };
};
