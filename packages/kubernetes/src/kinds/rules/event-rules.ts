import { type FieldError, invalid, required } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { numberAt, objectAt, textAt } from '@perigee/schema/json-fields';
import { checkQualifiedName } from '@perigee/schema/values/names';
import { checkUnchanged } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

type Errors = readonly FieldError[];

const SUBJECT_NAMESPACE = 'involvedObject.namespace';

const isUnset = (value: JsonValue | undefined): boolean => value === undefined || value === null;

const atMost = (event: JsonObject, name: string, most: number): Errors =>
  Buffer.byteLength(textAt(event, name)) > most
    ? [invalid(name, '', `can have at most ${most} characters`)]
    : [];

const notMatching = (subject: string): FieldError =>
  invalid(SUBJECT_NAMESPACE, subject, 'does not match event.namespace');

/** An event of the old kind is where the object is that it is about. */
const checkOldEvent = (namespace: string, subject: string): Errors =>
  subject === namespace || (subject === '' && namespace === 'default')
    ? []
    : [notMatching(subject)];

const CLUSTER_EVENT_NAMESPACES = ['default', 'kube-system'];

const checkNewEvent = (
  event: JsonObject,
  namespace: string,
  subject: string,
  reporter: string,
): Errors => [
  ...(subject === '' && !CLUSTER_EVENT_NAMESPACES.includes(namespace)
    ? [notMatching(subject)]
    : []),
  ...(textAt(event, 'reportingComponent') === '' ? [required(reporter)] : []),
  ...checkQualifiedName(textAt(event, 'reportingComponent')).map((problem) =>
    invalid(reporter, textAt(event, 'reportingComponent'), problem),
  ),
  ...['reportingInstance', 'action', 'reason'].flatMap((name) =>
    textAt(event, name) === '' ? [required(name)] : atMost(event, name, 128),
  ),
  ...atMost(event, 'message', 1024),
];

const checkAnyEvent = (event: JsonObject, reporter: string): Errors => {
  const namespace = textAt(objectAt(event, 'metadata'), 'namespace');
  const subject = textAt(objectAt(event, 'involvedObject'), 'namespace');
  return isUnset(event.eventTime)
    ? checkOldEvent(namespace, subject)
    : checkNewEvent(event, namespace, subject, reporter);
};

const checkSeries = (event: JsonObject): Errors => {
  if (event.series === undefined) return [];
  const series = objectAt(event, 'series');
  return [
    ...((numberAt(series, 'count') ?? 0) < 2
      ? [invalid('series.count', '', 'should be at least 2')]
      : []),
    ...(isUnset(series.lastObservedTime) ? [required('series.lastObservedTime')] : []),
  ];
};

const DEPRECATED = ['firstTimestamp', 'lastTimestamp', 'count'];

const checkCreated = (event: JsonObject): Errors => {
  const { component, host } = objectAt(event, 'source');
  return [
    ...checkSeries(event),
    ...(isUnset(event.eventTime) ? [required('eventTime')] : []),
    ...(event.type === 'Normal' || event.type === 'Warning'
      ? []
      : [invalid('type', '', `has invalid value: ${textAt(event, 'type')}`)]),
    ...[
      ...DEPRECATED.filter((name) => !isUnset(event[name])),
      ...(component || host ? ['source'] : []),
    ].map((name) => invalid(name, '', 'needs to be unset')),
  ];
};

/** The core name and the name in messages of what no writer of the newer group may change. */
const FIXED = [
  ...['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count'],
  ...['type', 'eventTime', 'action', 'related', 'reportingComponent', 'reportingInstance'],
];

const checkUpdated = (event: JsonObject, old: JsonObject): Errors => [
  ...(JSON.stringify(event.series) === JSON.stringify(old.series) ? [] : checkSeries(event)),
  ...FIXED.flatMap((name) =>
    checkUnchanged(
      event[name],
      old[name],
      name === 'reportingComponent' ? 'reportingController' : name,
    ),
  ),
];

/** The core group takes what old clients send. */
const coreEvent: KindRule = (event) => checkAnyEvent(event, 'reportingComponent');

const strictEvent: KindRule = (event, old) => [
  ...checkAnyEvent(event, 'reportingController'),
  ...(old === undefined ? checkCreated(event) : checkUpdated(event, old)),
];

/** Both see the stored form, in whose names kube-apiserver reports problems. */
export const EVENT_RULES: KindRules = [
  ['core.v1.Event', coreEvent],
  ['events.v1.Event', strictEvent],
];
