import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { checkLabelValue, checkQualifiedName } from '@perigee/schema/values/names';
import type { Rule } from '../type-rules.ts';
import {
  checkedText,
  checkLabels,
  dnsLabelAt,
  dnsSubdomainAt,
  inRange,
  notEmpty,
} from './checks.ts';
import {
  containerRule,
  fieldReferenceRule,
  lifecycleRule,
  runningRule,
  variableRule,
} from './container-rules.ts';
import { labelSelectorRule } from './label-selector-rules.ts';
import { resourceRequirementsRule } from './resource-rules.ts';
import { checkMounts, checkVolumes } from './volume-rules.ts';

type Errors = readonly FieldError[];

const MAX_INT32 = 2 ** 31 - 1;

const checkHostPorts = (spec: JsonObject, path: string): Errors => {
  const hostPorts = new Set<string>();
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      const { hostPort = 0, protocol = '', hostIP = '' } = port;
      if (hostPort === 0) return [];
      const address = `${protocol}/${hostIP}/${hostPort}`;
      if (!hostPorts.has(address)) {
        hostPorts.add(address);
        return [];
      }
      return [duplicate(`${path}.containers[${index}].ports[${portIndex}].hostPort`, address)];
    }),
  );
};

const checkContainers = (spec: JsonObject, path: string, volumes: ReadonlySet<string>): Errors => {
  const names = new Set<string>();
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) => {
      const at = `${path}.${list}[${index}]`;
      const name = textAt(container, 'name');
      const errors = [
        ...(names.has(name) ? [duplicate(`${at}.name`, name)] : []),
        ...checkMounts(container, volumes, at),
        ...runningRule(
          container,
          at,
          list === 'initContainers' && container.restartPolicy !== 'Always',
        ),
      ];
      if (name !== '') names.add(name);
      return errors;
    }),
  );
};

const podSpecRule: Rule = (spec, path) => {
  const volumes = checkVolumes(spec, path);
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  return [
    ...volumes.errors,
    // The schema lets null pass, which Go writes for a list without elements.
    ...(spec.containers === null ? [required(`${path}.containers`)] : []),
    ...checkContainers(spec, path, volumes.names),
    ...checkHostPorts(spec, path),
    ...checkLabels(spec, 'nodeSelector', `${path}.nodeSelector`),
    ...['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'].flatMap((name) =>
      dnsSubdomainAt(spec, path, name),
    ),
    ...['hostname', 'subdomain'].flatMap((name) => dnsLabelAt(spec, path, name)),
    ...(deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)
      ? [
          invalid(
            `${path}.activeDeadlineSeconds`,
            spec.activeDeadlineSeconds,
            inRange(1, MAX_INT32),
          ),
        ]
      : []),
  ];
};

const checkTolerationValue = (toleration: JsonObject, path: string): Errors => {
  const value = textAt(toleration, 'value');
  switch (textAt(toleration, 'operator')) {
    case 'Exists':
      return value === ''
        ? []
        : [invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'")];
    case 'Equal':
    case '': {
      const problems = checkLabelValue(value);
      return problems.length === 0 ? [] : [invalid(`${path}.operator`, value, problems.join(';'))];
    }
    default:
      return [];
  }
};

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const tolerationRule: Rule = (toleration, path) => [
  ...(['', ...EFFECTS].includes(textAt(toleration, 'effect'))
    ? []
    : [notSupported(`${path}.effect`, textAt(toleration, 'effect'), EFFECTS)]),
  ...checkedText(toleration, path, 'key', checkQualifiedName),
  ...(textAt(toleration, 'key') === '' && toleration.operator !== 'Exists'
    ? [
        invalid(
          `${path}.operator`,
          textAt(toleration, 'operator'),
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      ]
    : []),
  ...(toleration.tolerationSeconds !== undefined && toleration.effect !== 'NoExecute'
    ? [
        invalid(
          `${path}.effect`,
          textAt(toleration, 'effect'),
          "effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
      ]
    : []),
  ...checkTolerationValue(toleration, path),
];

const affinityTermRule: Rule = (term, path) => {
  const key = textAt(term, 'topologyKey');
  return [
    ...(term.topologyKey === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...checkQualifiedName(key).map((problem) => invalid(`${path}.topologyKey`, key, problem)),
  ];
};

const spreadRule: Rule = (constraint, path) => {
  const skew = numberAt(constraint, 'maxSkew');
  return [
    ...(skew !== undefined && skew <= 0
      ? [invalid(`${path}.maxSkew`, skew, 'must be greater than zero')]
      : []),
    ...(constraint.topologyKey === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
  ];
};

const nodeSelectorRule: Rule = (selector, path) =>
  selector.nodeSelectorTerms === null
    ? [required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term')]
    : [];

const templateRule: Rule = (template, path) => {
  const metadata = template.metadata as JsonObject | undefined;
  return metadata === undefined ? [] : checkLabels(metadata, 'labels', `${path}.labels`);
};

const keyRule: Rule = (selector, path) => notEmpty(selector, path, 'key');

export const POD_RULES: readonly (readonly [type: string, rule: Rule])[] = [
  ['core.v1.PodTemplateSpec', templateRule],
  ['core.v1.PodSpec', podSpecRule],
  ['core.v1.Container', containerRule],
  ['core.v1.EnvVar', variableRule],
  ['core.v1.Lifecycle', lifecycleRule],
  ['core.v1.NodeSelector', nodeSelectorRule],
  ['core.v1.ObjectFieldSelector', fieldReferenceRule],
  ['core.v1.SecretKeySelector', keyRule],
  ['core.v1.ConfigMapKeySelector', keyRule],
  ['core.v1.ResourceRequirements', resourceRequirementsRule],
  ['core.v1.Toleration', tolerationRule],
  ['core.v1.PodAffinityTerm', affinityTermRule],
  ['core.v1.TopologySpreadConstraint', spreadRule],
  ['meta.v1.LabelSelector', labelSelectorRule],
];
