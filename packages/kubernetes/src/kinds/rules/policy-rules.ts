import {
  type FieldError,
  forbidden,
  invalid,
  invalidWithoutValue,
  required,
} from '@perigee/schema/errors';
import { goStruct } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { checkUnchanged, notEmpty, notNegative } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';
import { checkMetrics } from './metric-rules.ts';
import { checkShare } from './rollout-rules.ts';

type Errors = readonly FieldError[];

const checkReplicas = (spec: JsonObject): Errors => {
  const least = numberAt(spec, 'minReplicas');
  const most = numberAt(spec, 'maxReplicas') ?? 0;
  const tooFew = 'must be greater than or equal to 1';
  const errors: FieldError[] = [];
  if (least !== undefined && least < 1) errors.push(invalid('spec.minReplicas', least, tooFew));
  if (most === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  if (most < 0) errors.push(invalid('spec.maxReplicas', most, tooFew));
  if (least !== undefined && most < least) {
    errors.push(
      invalid('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'),
    );
  }
  return errors;
};

/** Only a container of a pod can need it. */
const checkScaleToZero = (spec: JsonObject): Errors =>
  spec.minReplicas === 0 &&
  !objectsAt(spec, 'metrics').some(({ type }) => type === 'Object' || type === 'External')
    ? [
        forbidden(
          'spec.metrics',
          'must specify at least one Object or External metric to support scaling to zero replicas',
        ),
      ]
    : [];

/** Only one kind of the core group can be scaled; what was stored otherwise may stay. */
const checkScaledGroup = (spec: JsonObject, old: JsonObject | undefined): Errors => {
  const { kind, apiVersion = '' } = objectAt(spec, 'scaleTargetRef');
  const before = objectAt(old ?? {}, 'spec', 'scaleTargetRef');
  const isKept = old !== undefined && kind === before.kind && apiVersion === before.apiVersion;
  return isKept || kind === 'ReplicationController' || String(apiVersion).includes('/')
    ? []
    : [invalid('spec.scaleTargetRef.apiVersion', apiVersion, 'apiVersion must specify API group')];
};

const autoscaler: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  return [
    ...checkReplicas(spec),
    ...notEmpty(objectAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef', 'kind', 'name'),
    ...checkScaledGroup(spec, old),
    ...checkMetrics(spec),
    ...checkScaleToZero(spec),
  ];
};

const disruptionBudget: KindRule = (object) => {
  const spec = objectAt(object, 'spec');
  const { minAvailable, maxUnavailable, selector = null, unhealthyPodEvictionPolicy = null } = spec;
  const goSpec = {
    MinAvailable: minAvailable,
    Selector: selector,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
  };
  return [
    ...(minAvailable === undefined || maxUnavailable === undefined
      ? []
      : [
          invalidWithoutValue(
            'spec',
            `${goStruct(goSpec)}: minAvailable and maxUnavailable cannot be both set`,
          ),
        ]),
    ...['minAvailable', 'maxUnavailable'].flatMap((name) => checkShare(spec, 'spec', name)),
  ];
};

const HIGHEST_PRIORITY = 1_000_000_000;

const SYSTEM_PRIORITIES: { readonly [name: string]: number } = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

const checkPriority = (name: string, value: number): Errors => {
  if (!name.startsWith('system-')) {
    return value > HIGHEST_PRIORITY
      ? [
          forbidden(
            'value',
            `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`,
          ),
        ]
      : [];
  }
  if (SYSTEM_PRIORITIES[name] === value) return [];
  const why =
    SYSTEM_PRIORITIES[name] === undefined
      ? `${name} is not a known system priority class`
      : `value of ${name} PriorityClass must be ${SYSTEM_PRIORITIES[name]}`;
  return [
    forbidden(
      'metadata.name',
      `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
    ),
  ];
};

const priorityClass: KindRule = (object, old) => {
  const value = numberAt(object, 'value') ?? 0;
  if (old === undefined) {
    return checkPriority(textAt(objectAt(object, 'metadata'), 'name'), value);
  }
  return [
    ...(value === (numberAt(old, 'value') ?? 0)
      ? []
      : [forbidden('value', 'may not be changed in an update.')]),
    ...checkUnchanged(object.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy'),
  ];
};

const lease: KindRule = (object) => {
  const spec = objectAt(object, 'spec');
  const seconds = numberAt(spec, 'leaseDurationSeconds');
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...notNegative(spec, 'spec', 'leaseTransitions'),
  ];
};

export const POLICY_RULES: KindRules = [
  ['autoscaling.v1.HorizontalPodAutoscaler', autoscaler],
  ['autoscaling.v2.HorizontalPodAutoscaler', autoscaler],
  ['policy.v1.PodDisruptionBudget', disruptionBudget],
  ['scheduling.v1.PriorityClass', priorityClass],
  ['coordination.v1.Lease', lease],
];
