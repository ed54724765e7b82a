import { isJsonObject, type JsonValue } from '@perigee/api/json';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { parseTime } from '@perigee/api/values/time';

/**
 * The annotation of a binding that says which triggers had it scheduled afresh, when, and where it was then. It
 * is written together with the time itself, so that no trigger asks twice, whatever happens in between.
 */
export const TRIGGERED_BY = 'policy.perigee.io/triggered-by';

export interface TriggerMark {
  /** The name of the trigger. */
  readonly trigger: string;
  /** Which run of a standing trigger; empty for one that runs once. */
  readonly run: string;
  /** The `rescheduleTriggeredAt` that was written. */
  readonly at: string;
  readonly before: readonly TargetCluster[];
}

/** By the uid of the trigger. */
export type TriggerMarks = ReadonlyMap<string, TriggerMark>;

const NONE: TriggerMarks = new Map();

/** Triggers that are kept for ever must not fill up the bindings that they were about. */
const MOST_MARKS = 100;

/** As `m1:2 m2:4`; without a number for what has no replicas. */
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
    const written = JSON.parse(text) as JsonValue;
    if (!isJsonObject(written)) return NONE;
    return new Map(
      Object.entries(written)
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

/** Bindings are looked at again and again while a trigger goes through many of them. */
const known = new WeakMap<Metadata, TriggerMarks>();

/** The marks of a binding; none of those that nobody can read. */
export const marksOf = (metadata: Metadata): TriggerMarks => {
  const text = metadata.annotations?.[TRIGGERED_BY];
  if (text === undefined) return NONE;
  const marks = known.get(metadata) ?? read(text);
  known.set(metadata, marks);
  return marks;
};

/** The annotation with one mark more, without those of triggers that are gone. */
export const withMark = (
  metadata: Metadata,
  uid: string,
  mark: TriggerMark,
  isThere: (uid: string) => boolean,
): string => {
  const kept = [...marksOf(metadata)]
    .filter(([other]) => other !== uid && isThere(other))
    .slice(1 - MOST_MARKS);
  return JSON.stringify(
    Object.fromEntries(
      [...kept, [uid, mark] as const].map(([key, { before, ...rest }]) => [
        key,
        { ...rest, before: writeClusters(before) },
      ]),
    ),
  );
};
