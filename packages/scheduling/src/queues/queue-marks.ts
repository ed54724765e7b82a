import { isJsonObject, type JsonValue } from '@perigee/api/json';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import type { WrittenResourceList } from '@perigee/api/values/resource-list';

type Annotated = Pick<ObjectMeta, 'annotations'>;

/** Holds the queue that work is in, and what it asks for, as JSON. The admission writes it. */
export const QUEUED = 'policy.perigee.io/queued';

/** Says that work was let through by its queue, and where room was kept for it, as JSON. */
export const RESERVED = 'policy.perigee.io/reserved';

/** Work in a queue. */
export interface QueuedWork {
  readonly queue: string;
  readonly priorityClassName?: string;
  /** What all pods of one copy ask for, where the binding counts only some of them. */
  readonly requests?: WrittenResourceList;
}

/** Work in a queue, as its binding says it. */
export interface MarkedWork extends QueuedWork {
  /** When it got into the line, in milliseconds: seconds are too coarse to tell who was first. */
  readonly since: number;
}

/** What was kept for work when its queue let it through: its replicas by cluster. */
export interface Reservation {
  readonly clusters: { readonly [cluster: string]: number };
  /** When that was, in milliseconds. */
  readonly at: number;
}

const readObject = (text: string | undefined) => {
  if (text === undefined) return undefined;
  try {
    const read: JsonValue = JSON.parse(text);
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
};

/** The queue that work is in; nothing when it is in none. */
export const queuedWorkOf = ({ annotations }: Annotated): MarkedWork | undefined => {
  const read = readObject(annotations?.[QUEUED]);
  if (typeof read?.queue !== 'string') return undefined;
  const since = typeof read.since === 'number' ? read.since : 0;
  return { ...(read as never as QueuedWork), since };
};

/** What was kept for work; nothing while its queue has not let it through. */
export const reservationOf = ({ annotations }: Annotated): Reservation | undefined => {
  const text = annotations?.[RESERVED];
  if (text === undefined) return undefined;
  const { clusters, at } = { ...readObject(text) };
  const isCount = (one: [string, unknown]): one is [string, number] =>
    Number.isSafeInteger(one[1]) && (one[1] as number) >= 0;
  const counts = isJsonObject(clusters) ? Object.entries(clusters).filter(isCount) : [];
  return { clusters: Object.fromEntries(counts), at: typeof at === 'number' ? at : 0 };
};

/** Whether work is in a queue that has not let it through. */
export const isInLine = (metadata: Annotated): boolean =>
  metadata.annotations?.[RESERVED] === undefined && queuedWorkOf(metadata) !== undefined;
