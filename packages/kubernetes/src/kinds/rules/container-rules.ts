import { duplicate, type FieldError, forbidden, invalid, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import type { Rule } from '../type-rules.ts';
import {
  checkPort,
  checkPortName,
  dnsLabelAt,
  inRange,
  isPort,
  notEmpty,
  notNegative,
  requireTexts,
} from './checks.ts';

type Errors = readonly FieldError[];

const checkPorts = (container: JsonObject, path: string): Errors => {
  const portNames = new Set<string>();
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const at = `${path}.ports[${index}]`;
    const name = textAt(port, 'name');
    const problems = name === '' ? [] : checkPortName(name);
    const errors = problems.map((problem) => invalid(`${at}.name`, name, problem));
    if (problems.length === 0 && portNames.has(name)) errors.push(duplicate(`${at}.name`, name));
    if (problems.length === 0 && name !== '') portNames.add(name);
    const { containerPort, hostPort } = port;
    if (containerPort === 0) errors.push(required(`${at}.containerPort`));
    else if (typeof containerPort === 'number' && !isPort(containerPort)) {
      errors.push(invalid(`${at}.containerPort`, containerPort, inRange(1, 65_535)));
    }
    if (typeof hostPort === 'number' && hostPort !== 0 && !isPort(hostPort)) {
      errors.push(invalid(`${at}.hostPort`, hostPort, inRange(1, 65_535)));
    }
    return errors;
  });
};

/** Only printable ASCII, and no equals sign, which ends the name of a variable. */
const VARIABLE = /^[ -<>-~]*$/;

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

const checkSource = (variable: JsonObject, path: string): Errors => {
  if (variable.valueFrom === undefined) return [];
  const source = objectAt(variable, 'valueFrom');
  const count = SOURCES.filter((name) => source[name] !== undefined).length;
  const wrong = (why: string): Errors => [invalid(path, '', why)];
  if (count === 0) {
    return wrong(
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    );
  }
  if (textAt(variable, 'value') !== '') {
    return wrong('may not be specified when `value` is not empty');
  }
  return count > 1 ? wrong('may not have more than one field specified at a time') : [];
};

/** Fields of a pod that an environment variable can refer to. */
const POD_FIELDS = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.labels',
  'metadata.annotations',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

export const fieldReferenceRule: Rule = (reference, path) => {
  const field = textAt(reference, 'fieldPath');
  if (field === '') return notEmpty(reference, path, 'fieldPath');
  const [whole = ''] = field.split('[');
  return POD_FIELDS.has(whole)
    ? []
    : [
        invalid(
          `${path}.fieldPath`,
          field,
          `error converting fieldPath: field label not supported: ${field}`,
        ),
      ];
};

export const variableRule: Rule = (variable, path) => [
  ...notEmpty(variable, path, 'name'),
  ...(VARIABLE.test(textAt(variable, 'name'))
    ? []
    : [
        invalid(
          `${path}.name`,
          textAt(variable, 'name'),
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      ]),
  ...checkSource(variable, `${path}.valueFrom`),
];

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

const checkHandler: Rule = (probe, path) => {
  const [first, ...more] = HANDLERS.filter((name) => probe[name] !== undefined);
  return [
    ...(first === undefined ? [required(path, 'must specify a handler type')] : []),
    ...more.map((name) => forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')),
    ...(first === 'httpGet' || first === 'tcpSocket'
      ? checkPort(objectAt(probe, first).port, `${path}.${first}.port`)
      : []),
  ];
};

const PROBE_NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

const checkProbe = (container: JsonObject, name: string, path: string): Errors => {
  if (container[name] === undefined) return [];
  const probe = objectAt(container, name);
  const at = `${path}.${name}`;
  const successes = numberAt(probe, 'successThreshold') ?? 1;
  return [
    ...checkHandler(probe, at),
    ...notNegative(probe, at, ...PROBE_NUMBERS),
    ...(name !== 'readinessProbe' && successes !== 1
      ? [invalid(`${at}.successThreshold`, successes, 'must be 1')]
      : []),
  ];
};

const WHILE_RUNNING = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** A lifecycle hook must have a handler. */
export const lifecycleRule: Rule = (lifecycle, path) =>
  ['postStart', 'preStop']
    .filter((name) => lifecycle[name] !== undefined)
    .flatMap((name) => checkHandler(objectAt(lifecycle, name), `${path}.${name}`));

/** Containers that end before the others begin are not watched over while they run. */
export const runningRule = (container: JsonObject, path: string, endsFirst: boolean): Errors => {
  if (!endsFirst) return WHILE_RUNNING.flatMap((name) => checkProbe(container, name, path));
  return ['lifecycle', ...WHILE_RUNNING]
    .filter((name) => container[name] !== undefined)
    .map((name) =>
      forbidden(
        `${path}.${name}`,
        'may not be set for init containers without restartPolicy=Always',
      ),
    );
};

export const containerRule: Rule = (container, path) => [
  ...notEmpty(container, path, 'name'),
  ...dnsLabelAt(container, path, 'name'),
  ...requireTexts(container, path, 'image'),
  ...checkPorts(container, path),
];
