import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { parseTime } from '@perigee/schema/values/time';

/**
 * Annotation of a binding with the triggers that rescheduled it: the time and the previous
 * clusters. It is written in one patch with the trigger time, so that a crash causes no second
 * request.
 */
export const TRIGGERED_BY = 'policy.perigee.io/triggered-by';

export interface TriggerMark {
  /** The name of the trigger. */
  readonly trigger: string;
  /** The run of a standing trigger; empty for a one-time trigger. */
  readonly run: string;
  /** The `rescheduleTriggeredAt` that was written. */
  readonly at: string;
  readonly before: readonly TargetCluster[];
}

/** By the uid of the trigger. */
export type TriggerMarks = ReadonlyMap<string, TriggerMark>;

const NONE: TriggerMarks = new Map();

/** Bounds the annotation, since triggers may be kept forever. */
const MOST_MARKS = 100;

/** Formats `m1:2 m2:4`; no number for work without replicas. */
const writeClusters = (clusters: readonly TargetCluster[]): string =>
  clusters
    .map(({ name, replicas }) => (replicas === undefined ? name : `${name}:${replicas}`))
    .join(' ');

const readClusters = (text: string): readonly TargetCluster[] =>
  text === ''
    ? []
    : text.split(' ').map((part) => {
        const [name = '', replicas] = part.split(':');
        const number = Number(replicas);
        return Number.isSafeInteger(number) && number >= 0 ? { name, replicas: number } : { name };
      });

const isTime = (value: JsonValue | undefined): value is string => {
  try {
    return typeof value === 'string' && parseTime(value) > 0;
  } catch {
    return false;
  }
};

const readMark = (value: JsonValue | undefined): TriggerMark | undefined => {
  if (!isJsonObject(value)) return undefined;
  const { trigger, run, at, before } = value;
  if (typeof trigger !== 'string' || typeof run !== 'string') return undefined;
  if (!isTime(at) || typeof before !== 'string') return undefined;
  return { trigger, run, at, before: readClusters(before) };
};

const read = (text: string): TriggerMarks => {
  try {
    const json = JSON.parse(text) as JsonValue;
    if (!isJsonObject(json)) return NONE;
    return new Map(
      Object.entries(json)
        .slice(0, MOST_MARKS)
        .flatMap(([uid, value]) => {
          const mark = readMark(value);
          return mark === undefined ? [] : [[uid, mark] as const];
        }),
    );
  } catch {
    return NONE;
  }
};

type Metadata = Pick<ObjectMeta, 'annotations'>;

/** Memoized, because a trigger over many bindings reads each repeatedly. */
const marksCache = new WeakMap<Metadata, TriggerMarks>();

/** The marks of a binding; invalid ones are ignored. */
export const marksOf = (metadata: Metadata): TriggerMarks => {
  const text = metadata.annotations?.[TRIGGERED_BY];
  if (text === undefined) return NONE;
  const marks = marksCache.get(metadata) ?? read(text);
  marksCache.set(metadata, marks);
  return marks;
};

/** Adds a mark to the annotation, and drops those of deleted triggers. */
export const withMark = (
  metadata: Metadata,
  uid: string,
  mark: TriggerMark,
  isThere: (uid: string) => boolean,
): string => {
  const otherMarks = [...marksOf(metadata)]
    .filter(([other]) => other !== uid && isThere(other))
    .slice(1 - MOST_MARKS);
  return JSON.stringify(
    Object.fromEntries(
      [...otherMarks, [uid, mark] as const].map(([key, { before, ...rest }]) => [
        key,
        { ...rest, before: writeClusters(before) },
      ]),
    ),
  );
};
