import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { findCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import type { Binding } from '../../placement/binding/binding.ts';
import { placementsOf, sharesText } from '../../placement/scheduler/placement-record.ts';
import { marksOf } from '../../placement/triggers/trigger-mark.ts';
import { type Authorship, asOf, authorship, scaledBy, type Version } from './object-versions.ts';
import { placementMessage } from './placement-message.ts';

export type HistoryEvent =
  | 'Placed'
  | 'Moved'
  | 'Scaled'
  | 'Unplaced'
  | 'Evicting'
  | 'Held'
  | 'Released'
  | 'Deleted';

/** One change of the placement of work. */
export interface HistoryEntry {
  readonly at?: string;
  readonly event: HistoryEvent;
  /** Machine-readable cause: of the decision, the eviction or the hold. */
  readonly cause: string;
  /** The author of the change: a field manager, a trigger, a controller. */
  readonly by?: string;
  /** The placements before and after, as `m1:2 m2:4`. */
  readonly before: string;
  readonly after: string;
  /** The number of replicas that moved. */
  readonly moved?: number;
  readonly message: string;
}

/** Context of a history. */
export interface HistoryContext {
  readonly templates: readonly Version<KubeObject>[];
  readonly policies: readonly Version<KubeObject>[];
}

const movedReplicas = (
  before: readonly TargetCluster[],
  after: readonly TargetCluster[],
): number => {
  const had = new Map(before.map(({ name, replicas = 1 }) => [name, replicas]));
  return after.reduce(
    (sum, { name, replicas = 1 }) => sum + Math.max(0, replicas - (had.get(name) ?? 0)),
    0,
  );
};

/** The cause of a decision: from the scheduler's record, else from the fields that changed with the decision. */
const causeOf = (before: Binding | undefined, now: Binding): string => {
  const [was, is] = [before, now].map((one) =>
    one === undefined ? [] : placementsOf(one.metadata),
  );
  const last = is?.at(-1);
  if (last !== undefined && !sameJson(last, was?.at(-1))) return last.cause;
  if (before?.spec.clusters === undefined) return 'PlacementChanged';
  if (before.spec.rescheduleTriggeredAt !== now.spec.rescheduleTriggeredAt)
    return 'RescheduleTriggered';
  if (before.spec.replicas !== now.spec.replicas) return 'ReplicasChanged';
  return 'AlwaysScheduled';
};

const triggerOf = ({ metadata, spec }: Binding): string | undefined => {
  const mark = [...marksOf(metadata).values()].find(({ at }) => at === spec.rescheduleTriggeredAt);
  return mark === undefined ? undefined : `trigger ${mark.trigger}`;
};

const SENTENCES: { readonly [cause: string]: string } = {
  PlacementChanged: 'its policy says something new',
  ReplicasChanged: 'its number of replicas changed',
  RescheduleTriggered: 'it was asked to be scheduled afresh',
  AlwaysScheduled: 'clusters changed',
  ClusterIsGoing: 'a cluster that it was in is being removed',
  NotConfirmed: 'it had no place, or lost one',
};

/** A cause for people. Causes are read from an annotation, where anybody may write `constructor`. */
export const causeText = (cause: string): string =>
  (Object.hasOwn(SENTENCES, cause) ? SENTENCES[cause] : undefined) ?? cause;

const namesIn = (shares: string): string => shares.replaceAll(/:\d+/g, '');

/** The event of a change of shares, written as `m1:2 m2:4`. */
export const eventOf = (before: string, after: string, isScaled: boolean): HistoryEvent => {
  if (after === '') return 'Unplaced';
  if (before === '') return 'Placed';
  return isScaled && namesIn(before) === namesIn(after) ? 'Scaled' : 'Moved';
};

/** The author of a placement: of the policy; for the first one, of what came last, the policy or the object. */
const placedBy = (
  policy: Authorship | undefined,
  template: Authorship | undefined,
  isFirst: boolean,
): Authorship | undefined => {
  const isTemplateLater = isFirst && (template?.time ?? '') > (policy?.time ?? '');
  return isTemplateLater ? template : (policy ?? template);
};

/** The time since when no cluster was found for work that has none. */
const refusedSince = (binding: Binding | undefined): string | undefined => {
  const condition = findCondition(binding?.status?.conditions, 'Scheduled');
  return condition?.status === 'False' ? condition.lastTransitionTime : undefined;
};

const placementEntry = (
  at: string | undefined,
  before: Binding | undefined,
  now: Binding,
  { templates, policies, placedReplicas }: HistoryContext & { readonly placedReplicas?: number },
): HistoryEntry | undefined => {
  const [was = [], is = []] = [before?.spec.clusters, now.spec.clusters];
  if (sameJson(was, is)) return undefined;
  const cause =
    was.length === 0 && before === undefined ? 'PlacementChanged' : causeOf(before, now);
  const isUnplaced = was.length === 0;
  const authored = placedBy(authorship(policies, at), authorship(templates, at), isUnplaced);
  const refusedAt = isUnplaced ? refusedSince(before) : undefined;
  // A change before the refusal, or in the same second, is not the cause of its place.
  const isOvertaken = refusedAt !== undefined && (authored?.time ?? '') <= refusedAt;
  const author = isOvertaken ? undefined : authored?.by;
  const by =
    cause === 'RescheduleTriggered'
      ? triggerOf(now)
      : cause === 'ReplicasChanged'
        ? scaledBy(asOf(templates, at))
        : cause === 'PlacementChanged'
          ? author
          : undefined;
  // The scheduler sees missing replicas, but not their cause.
  const isReplaced = cause === 'ReplicasChanged' && now.spec.replicas === placedReplicas;
  const isScaled = cause === 'ReplicasChanged' && !isReplaced;
  const event = eventOf(sharesText(was), sharesText(is), isScaled);
  const isFirst = event === 'Placed' && cause === 'PlacementChanged';
  return {
    ...present({ at }),
    event,
    cause,
    ...present({ by: isReplaced ? undefined : by }),
    before: sharesText(was),
    after: sharesText(is),
    moved: movedReplicas(was, is),
    message: isFirst
      ? isOvertaken
        ? 'no cluster took it before, and one does now'
        : 'a policy has it'
      : isReplaced
        ? 'replicas that had lost their cluster got another'
        : cause === 'PlacementChanged' && before !== undefined
          ? placementMessage(before, now)
          : causeText(cause),
  };
};

const evictionEntries = (
  at: string | undefined,
  before: Binding | undefined,
  now: Binding,
): readonly HistoryEntry[] => {
  const earlierTasks = new Set(
    (before?.spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster),
  );
  return (now.spec.gracefulEvictionTasks ?? [])
    .filter(({ fromCluster, reason }) => !earlierTasks.has(fromCluster) && reason !== 'Rescheduled')
    .map(({ fromCluster, reason, producer, message = '', replicas }) => ({
      ...present({ at }),
      event: 'Evicting',
      cause: reason,
      by: producer,
      before: sharesText(before?.spec.clusters),
      after: sharesText(now.spec.clusters),
      ...present({ moved: replicas }),
      message: `it leaves ${fromCluster}${message === '' ? '' : `: ${message}`}`,
    }));
};

const gateEntry = (
  at: string | undefined,
  before: Binding | undefined,
  now: Binding,
): HistoryEntry | undefined => {
  const [was, is] = [before, now].map((one) => findCondition(one?.status?.conditions, 'Admitted'));
  if (is === undefined || is.status === was?.status) return undefined;
  const shares = sharesText(now.spec.clusters);
  const isHeld = is.status === 'False';
  return {
    ...present({ at }),
    event: isHeld ? 'Held' : 'Released',
    cause: is.reason,
    before: shares,
    after: shares,
    message: is.message,
  };
};

/** The placement history of work, from the versions of its binding. */
export const placementHistory = (
  versions: readonly Version<Binding>[],
  context: HistoryContext,
): readonly HistoryEntry[] => {
  const entries: HistoryEntry[] = [];
  let before: Binding | undefined;
  let placedReplicas: number | undefined;
  for (const { time, object: now } of versions) {
    if (now === undefined) {
      const shares = sharesText(before?.spec.clusters);
      const at = present({ at: time });
      const message = 'its binding was deleted';
      entries.push({
        ...at,
        event: 'Deleted',
        cause: 'Deleted',
        before: shares,
        after: '',
        message,
      });
      before = undefined;
      continue;
    }
    const evictions = evictionEntries(time, before, now);
    const placement = placementEntry(time, before, now, {
      ...context,
      ...present({ placedReplicas }),
    });
    // Departures alone are already covered by their evictions.
    const isReported = evictions.length > 0 && placement?.moved === 0;
    const gate = gateEntry(time, before, now);
    entries.push(
      ...evictions,
      ...(placement && !isReported ? [placement] : []),
      ...(gate ? [gate] : []),
    );
    if (placement !== undefined) placedReplicas = now.spec.replicas;
    before = now;
  }
  return entries;
};
