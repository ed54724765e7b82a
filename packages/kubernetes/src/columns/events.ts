import type { JsonObject } from '@perigee/schema/json';
import { ageOf } from './age.ts';
import { text, wide } from './column.ts';
import { countAt, textAt } from './fields.ts';

const firstSeen = (event: JsonObject): string =>
  textAt(event, 'firstTimestamp') || textAt(event, 'eventTime');

const lastSeen = (event: JsonObject): string =>
  textAt(event, 'series', 'lastObservedTime') || textAt(event, 'lastTimestamp') || firstSeen(event);

const objectText = (event: JsonObject): string => {
  const kind = textAt(event, 'involvedObject', 'kind').toLowerCase();
  const name = textAt(event, 'involvedObject', 'name');
  return name === '' ? kind : `${kind}/${name}`;
};

const source = (event: JsonObject): string => {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
};

const count = (event: JsonObject): number =>
  countAt(event, 'series', 'count') || countAt(event, 'count') || 1;

/** The name comes last, and only in the wide table, as events are not looked up by name. */
export const eventColumns = [
  text('Last Seen', 'The time since it was seen last.', (event, nowMs) =>
    ageOf(lastSeen(event), nowMs),
  ),
  text('Type', 'Whether it is a warning.', (event) => textAt(event, 'type')),
  text('Reason', 'What happened, in one word.', (event) => textAt(event, 'reason')),
  text('Object', 'What it happened to.', objectText),
  wide('Subobject', 'Which part of that it is about.', (event) =>
    textAt(event, 'involvedObject', 'fieldPath'),
  ),
  wide('Source', 'Who reports it.', source),
  text('Message', 'What happened.', (event) => textAt(event, 'message').trim()),
  wide('First Seen', 'The time since it was seen first.', (event, nowMs) =>
    ageOf(firstSeen(event), nowMs),
  ),
  wide('Count', 'How often it was seen.', count),
  wide('Name', 'The name of the event.', (event) => textAt(event, 'metadata', 'name')),
];
