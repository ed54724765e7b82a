import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { mapAt, numberAt, objectAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { checkUnchanged, dnsLabelAt, notNegative } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';
import { isEmptySelector, selects } from './label-selector-rules.ts';
import {
  checkDaemonSetRollout,
  checkDeploymentRollout,
  checkStatefulSetRollout,
} from './rollout-rules.ts';

type Errors = readonly FieldError[];

/** The selector must be there, be understood, and select the pods of the template. */
export const checkSelection = (spec: JsonObject, ofEmpty?: string): Errors => {
  const labels = mapAt(spec, 'template', 'metadata', 'labels');
  const selector = objectAt(spec, 'selector');
  const badValue = Object.keys(labels).length === 0 ? null : labels;
  const isSelected = selects(spec.selector, labels);
  if (isSelected === undefined) {
    return [invalid('spec.selector', selector, 'invalid label selector')];
  }
  if (spec.selector !== undefined && ofEmpty !== undefined && isEmptySelector(selector)) {
    return [invalid('spec.selector', selector, `empty selector is invalid for ${ofEmpty}`)];
  }
  return isSelected
    ? []
    : [
        invalid(
          'spec.template.metadata.labels',
          badValue,
          '`selector` does not match template `labels`',
        ),
      ];
};

/** Pods that a controller keeps running start again, whatever happens to them. */
const checkEndless = (spec: JsonObject, kind: string): Errors => {
  const pod = objectAt(spec, 'template', 'spec');
  const path = 'spec.template.spec';
  const policy = textAt(pod, 'restartPolicy');
  return [
    ...(policy === 'Always' ? [] : [notSupported(`${path}.restartPolicy`, policy, ['Always'])]),
    ...(pod.activeDeadlineSeconds === undefined
      ? []
      : [
          forbidden(
            `${path}.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
};

const NUMBERS = ['replicas', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'];

const keepsSelector = (spec: JsonObject, old: JsonObject | undefined): Errors =>
  old === undefined
    ? []
    : checkUnchanged(spec.selector, objectAt(old, 'spec').selector, 'spec.selector');

const checkDeadline = (spec: JsonObject): Errors => {
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  return deadline !== undefined && deadline <= (numberAt(spec, 'minReadySeconds') ?? 0)
    ? [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
    : [];
};

const common = (spec: JsonObject, kind: string, ofEmpty: string): Errors => [
  ...notNegative(spec, 'spec', ...NUMBERS),
  ...checkSelection(spec, ofEmpty),
  ...checkEndless(spec, kind),
];

const deployment: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  return [
    ...common(spec, 'ReplicaSet', 'deployment'),
    ...checkDeadline(spec),
    ...checkDeploymentRollout(spec),
    ...keepsSelector(spec, old),
  ];
};

const replicaSet: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  return [...common(spec, 'ReplicaSet', 'deployment'), ...keepsSelector(spec, old)];
};

const daemonSet: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  return [
    ...common(spec, 'DaemonSet', 'daemonset'),
    ...checkDaemonSetRollout(spec),
    ...keepsSelector(spec, old),
  ];
};

/** The oldest of them selects by labels alone, and needs both parts. */
const replicationController: KindRule = (object) => {
  const spec = objectAt(object, 'spec');
  const matchLabels = mapAt(spec, 'selector');
  const isBlind = Object.keys(matchLabels).length === 0;
  const numbers = notNegative(spec, 'spec', 'replicas', 'minReadySeconds');
  const lacking = isBlind ? [required('spec.selector')] : [];
  if (spec.template === undefined) return [...numbers, ...lacking, required('spec.template')];
  return [
    ...numbers,
    ...lacking,
    ...(isBlind ? [] : checkSelection({ ...spec, selector: { matchLabels } })),
    ...checkEndless(spec, 'ReplicationController'),
  ];
};

const fixedOfStatefulSet = ({
  replicas,
  ordinals,
  template,
  updateStrategy,
  revisionHistoryLimit,
  persistentVolumeClaimRetentionPolicy,
  minReadySeconds,
  ...fixed
}: JsonObject): JsonObject => fixed;

const checkManagement = (policy: string): Errors =>
  policy === 'OrderedReady' || policy === 'Parallel'
    ? []
    : [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];

const statefulSet: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  const isSame =
    old === undefined ||
    sameJson(fixedOfStatefulSet(spec), fixedOfStatefulSet(objectAt(old, 'spec')));
  return [
    ...common(spec, 'StatefulSet', 'statefulset'),
    ...checkManagement(textAt(spec, 'podManagementPolicy')),
    ...checkStatefulSetRollout(spec),
    ...(old === undefined ? dnsLabelAt(spec, 'spec', 'serviceName') : []),
    ...(isSame
      ? []
      : [
          forbidden(
            'spec',
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ),
        ]),
  ];
};

export const WORKLOAD_RULES: KindRules = [
  ['core.v1.ReplicationController', replicationController],
  ['apps.v1.Deployment', deployment],
  ['apps.v1.ReplicaSet', replicaSet],
  ['apps.v1.DaemonSet', daemonSet],
  ['apps.v1.StatefulSet', statefulSet],
];
