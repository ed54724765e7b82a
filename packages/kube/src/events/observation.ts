import type { EventType, ObjectReference } from '@perigee/kubernetes/core/event';

/** An observation of a controller, before it becomes an Event or a higher count of one. */
export interface Observation {
  readonly object: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** When it was seen, in milliseconds since the epoch. */
  readonly at: number;
}

/** An Event to be written: a new one, or one that happened once more. */
export interface EventState extends Observation {
  readonly name: string;
  readonly firstAt: number;
  readonly count: number;
}

const keyOf = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);

const objectParts = ({ kind, namespace, name, uid, apiVersion }: ObjectReference) => [
  kind,
  namespace,
  name,
  uid,
  apiVersion,
];

/** Observations of one object of one type: these share a budget. */
export const sourceKeyOf = ({ object, type }: Observation): string =>
  keyOf(...objectParts(object), type);

/** Observations that differ in their message only. */
export const similarKeyOf = ({ object, type, reason }: Observation): string =>
  keyOf(...objectParts(object), type, reason);

/** Observations that are the same but for the time. */
export const sameKeyOf = ({ object, type, reason, message }: Observation): string =>
  keyOf(...objectParts(object), object.fieldPath, type, reason, message);
