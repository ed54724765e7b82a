import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { present } from '@perigee/schema/present';

export type EventType = 'Normal' | 'Warning';

/** Reference of an Event to its object. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

interface EventFields {
  readonly involvedObject: ObjectReference;
  readonly type?: EventType;
  /** A word for the cause, for programs. */
  readonly reason?: string;
  /** A sentence, for people. */
  readonly message?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly count?: number;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly action?: string;
  readonly related?: ObjectReference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

/** Something that happened to an object, as the server keeps it for a while. */
export interface Event extends KubeObject, EventFields {}

export interface EventWritten extends WrittenObject, EventFields {}

export const Event: ResourceKind<Event, EventWritten> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

export const objectReferenceTo = ({ apiVersion, kind, metadata }: KubeObject): ObjectReference => ({
  apiVersion,
  kind,
  ...present({ namespace: metadata.namespace }),
  name: metadata.name,
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
});
