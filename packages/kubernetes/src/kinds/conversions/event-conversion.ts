import type { JsonObject } from '@perigee/schema/json';
import type { Conversion } from '../../resource/resource-description.ts';
import { goForm } from '../../types/go-form.ts';

/** Pairs of field names: in `events.k8s.io`, and in the core group. */
const NAMES = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const;

const TO_STORED = new Map<string, string>(NAMES);
const FROM_STORED = new Map<string, string>(NAMES.map(([newer, core]) => [core, newer]));

const renamed = (object: JsonObject, names: ReadonlyMap<string, string>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]),
  );

/** Events are stored as the core group shows them; `events.k8s.io` has other names for some fields. */
export const eventConversion: Conversion = {
  toStored: (event) => ({
    ...goForm('core.v1.Event')(renamed(event, TO_STORED)),
    apiVersion: 'v1',
  }),
  fromStored: (event) => ({
    ...goForm('events.v1.Event')(renamed(event, FROM_STORED)),
    apiVersion: 'events.k8s.io/v1',
  }),
};
