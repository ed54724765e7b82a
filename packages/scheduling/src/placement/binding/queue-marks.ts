import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import type { WrittenResourceList } from '@perigee/api/values/resource-list';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';

type Annotated = Pick<ObjectMeta, 'annotations'>;

/** Annotation with the queue of the work and its demand, as JSON. The admission writes it. */
export const QUEUED = 'policy.perigee.io/queued';

/** Annotation with the reservation of released work, as JSON. */
export const RESERVED = 'policy.perigee.io/reserved';

export interface QueuedWork {
  readonly queue: string;
  readonly priorityClassName?: string;
  /** The requests of all pods of one copy, for kinds of which the binding counts only some pods. */
  readonly requests?: WrittenResourceList;
}

/** Queued work as its binding records it. */
export interface MarkedWork extends QueuedWork {
  /** Time of enqueueing in epoch milliseconds: seconds are too coarse to order the line. */
  readonly since: number;
}

/** The room reserved at release: replicas by cluster. */
export interface Reservation {
  readonly clusters: { readonly [cluster: string]: number };
  /** Time of release, in epoch milliseconds. */
  readonly at: number;
}

const readObject = (text: string | undefined) => {
  if (text === undefined) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Reads the queue annotation; undefined if the work is in no queue. */
export const queuedWorkOf = ({ annotations }: Annotated): MarkedWork | undefined => {
  const mark = readObject(annotations?.[QUEUED]);
  if (typeof mark?.queue !== 'string') return undefined;
  const since = typeof mark.since === 'number' ? mark.since : 0;
  return { ...(mark as never as QueuedWork), since };
};

/** Reads the reservation; undefined until the queue has released the work. */
export const reservationOf = ({ annotations }: Annotated): Reservation | undefined => {
  const text = annotations?.[RESERVED];
  if (text === undefined) return undefined;
  const { clusters, at } = { ...readObject(text) };
  const isCount = (one: [string, unknown]): one is [string, number] =>
    Number.isSafeInteger(one[1]) && (one[1] as number) >= 0;
  const counts = isJsonObject(clusters) ? Object.entries(clusters).filter(isCount) : [];
  return { clusters: Object.fromEntries(counts), at: typeof at === 'number' ? at : 0 };
};

/** True if the work is queued and not released. */
export const isInLine = (metadata: Annotated): boolean =>
  metadata.annotations?.[RESERVED] === undefined && queuedWorkOf(metadata) !== undefined;
