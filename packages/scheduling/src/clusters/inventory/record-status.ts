import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Condition } from '@perigee/api/meta/condition';
import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition, type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { type Finding, type Offer, TROUBLES, type Trouble } from './finding.ts';
import { clusterIdOf, sameClusterCondition, UNIQUE } from './same-cluster.ts';
import { targetCondition } from './target-condition.ts';

type Status = NonNullable<ClusterRecord['status']>;

/** The status fields that the inventory owns; the others belong to the sharding. */
export type InventoryStatus = Omit<Status, 'homeScheduler' | 'bindingEpoch'>;

const AMOUNTS_KNOWN = 'AmountsKnown';
/** Condition types that are absent unless there is something to report. */
const OCCASIONAL: readonly string[] = [AMOUNTS_KNOWN, UNIQUE];
const CONDITIONS: readonly string[] = ['Ready', 'ExecutionTarget', ...OCCASIONAL];

/** The part of a record's status that the inventory wrote. */
export const inventoryPart = ({ status = {} }: ClusterRecord): InventoryStatus => {
  const { homeScheduler: _, bindingEpoch: __, conditions, ...part } = status;
  if (conditions === undefined) return part;
  return { ...part, conditions: conditions.filter(({ type }) => CONDITIONS.includes(type)) };
};

/** An API server quotes the object it rejects, which may be long. */
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

/** Verdict from the target's Ready condition, when the probe found no fault. */
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
 * Verdict for a cluster. The target's condition goes first, because it is damped against single
 * failed probes; but the probe has the better reason.
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
 * Drops empty amount lists. Applying an empty map after another applier removes all its fields, and
 * Kubernetes then stores null, for which it rejects the whole status.
 */
const withoutEmpty = (offer: Offer): Offer =>
  Object.fromEntries(
    Object.entries(offer).filter(([, part]) => Object.keys(part ?? {}).length > 0),
  );

/** A target reports allocatable only, not capacity. */
const offerOf = (
  finding: Finding | undefined,
  target: MemberCluster | undefined,
): Offer | undefined => {
  if (finding?.kind === 'well' && finding.offer !== undefined) return withoutEmpty(finding.offer);
  const { allocatable, allocated } = target?.status?.resourceSummary ?? {};
  if (allocatable === undefined) return undefined;
  return withoutEmpty({ capacity: allocatable, allocatable, allocated });
};

const before = ({ status = {} }: ClusterRecord): Offer => {
  const { capacity, allocatable, allocated, flavors, storageTypes } = status;
  return withoutEmpty({ capacity, allocatable, allocated, flavors, storageTypes });
};

export interface Observation {
  readonly record: ClusterRecord;
  readonly target?: MemberCluster;
  /** The last probe; absent before the first. */
  readonly finding?: Finding;
  /** The desired target; absent for clusters that take no Kubernetes objects. */
  readonly desired?: Parameters<typeof targetCondition>[1];
  /** The name under which the same cluster was registered first. */
  readonly sameAs?: string;
  readonly nowMs: number;
}

/** The uid of the cluster, as it reports itself, else as its execution target has it. */
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

/** The record's status after a probe of the cluster and a check of its execution target. */
export const recordStatus = (observation: Observation): InventoryStatus => {
  const { record, target, finding, desired, sameAs, nowMs } = observation;
  const { status = {}, metadata } = record;
  const { generation } = metadata;
  const verdict = verdictOf(finding, target, desired !== undefined);
  const { phase, status: holds, reason, message } = verdict;
  const observedFields = present({ observedGeneration: generation });
  const conditions: readonly NewCondition<'ClusterRecord'>[] = [
    { type: 'Ready', status: holds, reason, message, ...observedFields },
    { ...targetCondition(record, desired, target), ...observedFields },
    ...(sameAs === undefined ? [] : [{ ...sameClusterCondition(sameAs), ...observedFields }]),
  ];
  const presentConditions = (inventoryPart(record).conditions ?? []).filter(
    ({ type }) => !OCCASIONAL.includes(type) || conditions.some((one) => one.type === type),
  );
  const clusterID = identityIn(observation);
  const offer = offerOf(finding, target);
  const seenAtMs = seenAt(observation, verdict);
  const lastSeenTime = seenAtMs === undefined ? status.lastSeenTime : formatTime(seenAtMs);
  const resourcesObservedTime =
    offer === undefined ? status.resourcesObservedTime : formatTime(nowMs);
  return {
    phase,
    conditions: conditions.reduce<readonly ConditionOf<'ClusterRecord'>[]>(
      (all, condition) => setCondition(all, condition, nowMs),
      presentConditions,
    ),
    ...observedFields,
    ...present({ clusterID, lastSeenTime }),
    ...(offer ?? before(record)),
    ...present({ resourcesObservedTime }),
  };
};

/**
 * The status without amounts, for an API server that rejects them: the health must be written in
 * any case.
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
