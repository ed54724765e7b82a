import type { JsonObject } from '@perigee/api/json';
import type { BindingSpec, BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import type { Labels } from '@perigee/api/values/label-requirement';
import { carryData } from '../../data/carry-data.ts';
import { claimData, type DataWorld } from '../../data/claim-data.ts';
import { type ClaimFinder, claimsOf, runsPods } from '../../data/concerned-work.ts';
import { holdForQueue } from '../../queues/hold-for-queue.ts';
import { type QueueDefaults, queuedWork } from '../../queues/named-queue.ts';
import { isOtherTemplate } from '../../queues/other-template.ts';
import { type QueuedWork, queuedWorkOf } from '../../queues/queue-marks.ts';

/** A binding as it is written. */
interface Draft {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: BindingSpec;
}

export interface ClaimedData {
  readonly claims: ClaimFinder;
  readonly world: DataWorld;
  /** The labels of a workload; nothing when it cannot be read. */
  readonly labelsOf: (resource: BoundResource) => Labels | undefined;
}

/** The binding that is stored in place of one that somebody writes: it carries the data of its claims. */
export const withClaimedData = <D extends Draft>(
  draft: D,
  before: Draft | undefined,
  { claims, world, labelsOf }: ClaimedData,
): D => {
  // What it carries already is read from what is stored: nobody else is believed.
  const binding = { metadata: before?.metadata ?? {}, spec: draft.spec };
  const found = claimsOf({ binding, labels: labelsOf(draft.spec.resource) }, claims);
  return carryData(
    draft,
    before,
    found.map((claim) => claimData(claim, world)),
  );
};

export interface KnownQueues extends Pick<QueueDefaults, 'queueAll'> {
  /** Whether there is a default queue. Without one, nobody runs a dispatcher. */
  readonly isInUse: () => boolean;
  readonly templateOf: (resource: BoundResource) => JsonObject | undefined;
  readonly annotationsOf: (namespace: string) => QueueDefaults['namespace'];
  readonly nowMs: number;
}

/** The same for its queue: it says which that is, and is held until its turn. */
export const inItsQueue = <D extends Draft>(
  draft: D,
  before: Draft | undefined,
  { isInUse, templateOf, annotationsOf, queueAll, nowMs }: KnownQueues,
): D => {
  const { spec } = draft;
  if (spec.placement === undefined || !runsPods(spec)) return draft;
  // What it is in already is read from what is stored: nobody else is believed.
  const known = before && queuedWorkOf(before.metadata);
  if (known === undefined && !isInUse()) return draft;
  const hold = (queued: QueuedWork | undefined) => holdForQueue(draft, before, queued, nowMs);
  const template = isOtherTemplate(draft, before) ? templateOf(spec.resource) : undefined;
  if (template === undefined) return hold(known);
  const namespace = annotationsOf(spec.resource.namespace ?? '');
  return hold(queuedWork(template, { namespace, queueAll }));
};
