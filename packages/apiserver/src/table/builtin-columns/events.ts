import type { JsonObject } from '@perigee/api/json';
import { ageOf } from '../age.ts';
import { text, wide } from './column.ts';
import { at, countAt, textAt } from './fields.ts';

/** Events have two shapes, one in each of their groups; a field has another name in the newer one. */
const either = (event: JsonObject, old: readonly string[], newer: readonly string[]): string =>
  textAt(event, ...old) || textAt(event, ...newer);

const firstSeen = (event: JsonObject): string =>
  either(event, ['firstTimestamp'], ['deprecatedFirstTimestamp']) || textAt(event, 'eventTime');

const lastSeen = (event: JsonObject): string =>
  textAt(event, 'series', 'lastObservedTime') ||
  either(event, ['lastTimestamp'], ['deprecatedLastTimestamp']) ||
  firstSeen(event);

const subject = (event: JsonObject): JsonObject =>
  (at(event, 'involvedObject') ?? at(event, 'regarding') ?? {}) as JsonObject;

const objectText = (event: JsonObject): string => {
  const { kind, name } = {
    kind: textAt(subject(event), 'kind'),
    name: textAt(subject(event), 'name'),
  };
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
};

const source = (event: JsonObject): string => {
  const component =
    either(event, ['source', 'component'], ['deprecatedSource', 'component']) ||
    either(event, ['reportingComponent'], ['reportingController']);
  const host =
    either(event, ['source', 'host'], ['deprecatedSource', 'host']) ||
    textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
};

const count = (event: JsonObject): number =>
  countAt(event, 'series', 'count') ||
  countAt(event, 'count') ||
  countAt(event, 'deprecatedCount') ||
  1;

/** The name comes last, and only in the wide table: nobody looks for events by their names. */
export const eventColumns = [
  text('Last Seen', 'The time since it was seen last.', (event, nowMs) =>
    ageOf(lastSeen(event), nowMs),
  ),
  text('Type', 'Whether it is a warning.', (event) => textAt(event, 'type')),
  text('Reason', 'What happened, in one word.', (event) => textAt(event, 'reason')),
  text('Object', 'What it happened to.', objectText),
  wide('Subobject', 'Which part of that it is about.', (event) =>
    textAt(subject(event), 'fieldPath'),
  ),
  wide('Source', 'Who reports it.', source),
  text('Message', 'What happened.', (event) => either(event, ['message'], ['note']).trim()),
  wide('First Seen', 'The time since it was seen first.', (event, nowMs) =>
    ageOf(firstSeen(event), nowMs),
  ),
  wide('Count', 'How often it was seen.', count),
  wide('Name', 'The name of the event.', (event) => textAt(event, 'metadata', 'name')),
];
