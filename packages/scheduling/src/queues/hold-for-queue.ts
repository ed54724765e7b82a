import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
import { HELD_FOR } from '../data/data-marks.ts';
import {
  QUEUED,
  type QueuedWork,
  queuedWorkOf,
  RESERVED,
} from '../placement/binding/queue-marks.ts';
import { wasReleased } from './release-work.ts';

/** The binding as a request writes it. */
interface BindingDraft {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: BindingSpec;
}

type Annotations = { readonly [key: string]: string };

const withAnnotations = <B extends BindingDraft>(draft: B, annotations: Annotations): B => {
  const { annotations: _, ...rest } = draft.metadata;
  const isNone = Object.keys(annotations).length === 0;
  return { ...draft, metadata: isNone ? rest : { ...rest, annotations } } as B;
};

const without = (annotations: Annotations, ...keys: readonly string[]): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !keys.includes(key)));

const heldFor = (before: string | undefined): string => {
  const reasons = before?.split(',') ?? [];
  return reasons.includes('queue') ? (before ?? 'queue') : [...reasons, 'queue'].join(',');
};

/**
 * The admission's mutation of a binding: it records the queue, and suspends scheduling in the same
 * write until the queue releases the work. Work that already runs when it joins a queue counts
 * there and keeps running. Returns the same object if nothing changes.
 */
export const holdForQueue = <B extends BindingDraft>(
  draft: B,
  old: BindingDraft | undefined,
  queuedWork: QueuedWork | undefined,
  now: number,
): B => {
  const { metadata, spec } = draft;
  const { annotations = {} } = metadata;
  if (queuedWork === undefined) {
    const isMarked = annotations[QUEUED] !== undefined || annotations[RESERVED] !== undefined;
    return isMarked ? withAnnotations(draft, without(annotations, QUEUED, RESERVED)) : draft;
  }
  const runs = (spec.clusters ?? []).length > 0;
  const isThrough = runs || annotations[RESERVED] !== undefined;
  const isSuspended = spec.suspension?.scheduling === true;
  const isOurs = !isSuspended || annotations[HELD_FOR] !== undefined;
  const before = old && queuedWorkOf(old.metadata);
  const since = before?.since ?? now;
  const isSettled = isThrough && old !== undefined && wasReleased(old.metadata);
  const queue = (isSettled ? before?.queue : undefined) ?? queuedWork.queue;
  const marks = {
    [QUEUED]: JSON.stringify({ ...queuedWork, queue, since }),
    ...present({
      [RESERVED]: isThrough
        ? (annotations[RESERVED] ?? JSON.stringify({ clusters: {}, at: now }))
        : undefined,
      [HELD_FOR]: !isThrough && isOurs ? heldFor(annotations[HELD_FOR]) : undefined,
    }),
  };
  const isSame = Object.entries(marks).every(([key, value]) => annotations[key] === value);
  const markedDraft = isSame ? draft : withAnnotations(draft, { ...annotations, ...marks });
  if (isThrough || isSuspended) return markedDraft;
  return {
    ...markedDraft,
    spec: { ...spec, suspension: { ...spec.suspension, scheduling: true } },
  };
};
