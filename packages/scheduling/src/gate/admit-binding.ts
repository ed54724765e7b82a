import type { BindingSpec, BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import type { Labels } from '@perigee/api/values/label-requirement';
import type { JsonObject } from '@perigee/schema/json';
import { carryData } from '../data/carry-data.ts';
import { claimData, type DataWorld } from '../data/claim-data.ts';
import { type ClaimFinder, claimsOf, runsPods } from '../data/concerned-work.ts';
import { type QueuedWork, queuedWorkOf } from '../placement/binding/queue-marks.ts';
import { holdForQueue } from '../queues/hold-for-queue.ts';
import { type QueueDefaults, queuedWork } from '../queues/named-queue.ts';
import { isOtherTemplate } from '../queues/other-template.ts';

/** The binding as a request writes it. */
interface Draft {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: BindingSpec;
}

export interface ClaimedData {
  readonly claims: ClaimFinder;
  readonly world: DataWorld;
  /** The labels of a workload; undefined if it cannot be read. */
  readonly labelsOf: (resource: BoundResource) => Labels | undefined;
}

/** The admission's mutation for data claims: the binding to store, with the data of its claims. */
export const withClaimedData = <D extends Draft>(
  draft: D,
  before: Draft | undefined,
  { claims, world, labelsOf }: ClaimedData,
): D => {
  // Reads the carried claims from the stored object only: the request may forge the annotation.
  const binding = { metadata: before?.metadata ?? {}, spec: draft.spec };
  const workClaims = claimsOf({ binding, labels: labelsOf(draft.spec.resource) }, claims);
  return carryData(
    draft,
    before,
    workClaims.map((claim) => claimData(claim, world)),
  );
};

export interface KnownQueues extends Pick<QueueDefaults, 'queueAll'> {
  /** True if a default queue exists. Without one, no dispatcher runs. */
  readonly isInUse: () => boolean;
  readonly templateOf: (resource: BoundResource) => JsonObject | undefined;
  readonly annotationsOf: (namespace: string) => QueueDefaults['namespace'];
  readonly nowMs: number;
}

/**
 * The admission's mutation for queues: the binding to store, with its queue, held until its turn.
 */
export const inItsQueue = <D extends Draft>(
  draft: D,
  before: Draft | undefined,
  { isInUse, templateOf, annotationsOf, queueAll, nowMs }: KnownQueues,
): D => {
  const { spec } = draft;
  if (spec.placement === undefined || !runsPods(spec)) return draft;
  // Reads the queue from the stored object only: the request may forge the annotation.
  const storedQueue = before && queuedWorkOf(before.metadata);
  if (storedQueue === undefined && !isInUse()) return draft;
  const hold = (entry: QueuedWork | undefined) => holdForQueue(draft, before, entry, nowMs);
  const template = isOtherTemplate(draft, before) ? templateOf(spec.resource) : undefined;
  if (template === undefined) return hold(storedQueue);
  const namespace = annotationsOf(spec.resource.namespace ?? '');
  return hold(queuedWork(template, { namespace, queueAll }));
};
