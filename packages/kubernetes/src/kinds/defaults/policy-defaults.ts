import type { JsonObject } from '@perigee/schema/json';
import { filled, objectAt, textAt } from '@perigee/schema/json-fields';
import type { Default } from '../type-defaults.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

const DEFAULT_METRICS: JsonObject = {
  metrics: [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
    },
  ],
};

const SCALE_UP: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const SCALE_DOWN: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

const autoscalerBehaviour: Default = (behaviour) => ({
  ...behaviour,
  scaleUp: filled(objectAt(behaviour, 'scaleUp'), SCALE_UP),
  scaleDown: filled(objectAt(behaviour, 'scaleDown'), SCALE_DOWN),
});

const withRoleGroup: Default = (reference) => filled(reference, { apiGroup: RBAC_GROUP });

const subject: Default = (value) =>
  value.kind === 'User' || value.kind === 'Group' ? withRoleGroup(value) : value;

const webhook: Default = (value) =>
  filled(value, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  });

/** A range of limits for containers hands on its most as the default, and that as the request. */
const limitRangeItem: Default = (item) => {
  if (textAt(item, 'type') !== 'Container') return item;
  const limits = filled(objectAt(item, 'default'), objectAt(item, 'max'));
  const requests = filled(filled(objectAt(item, 'defaultRequest'), limits), objectAt(item, 'min'));
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  };
};

/** A namespace can be selected by its name. */
const namespace: Default = (object) => {
  const metadata = objectAt(object, 'metadata');
  const name = textAt(metadata, 'name');
  const status = filled(objectAt(object, 'status'), { phase: 'Active' });
  if (name === '') return { ...object, status };
  const labels = { ...objectAt(metadata, 'labels'), 'kubernetes.io/metadata.name': name };
  return { ...object, metadata: { ...metadata, labels }, status };
};

const matchResources: Default = (match) =>
  filled(match, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });

const failing: Default = (spec) => filled(spec, { failurePolicy: 'Fail' });

export const POLICY_DEFAULTS: readonly (readonly [type: string, apply: Default])[] = [
  ['core.v1.Namespace', namespace],
  ['core.v1.Secret', (secret) => filled(secret, { type: 'Opaque' })],
  ['core.v1.LimitRangeItem', limitRangeItem],
  ['autoscaling.v1.HorizontalPodAutoscalerSpec', (spec) => filled(spec, { minReplicas: 1 })],
  [
    'autoscaling.v2.HorizontalPodAutoscalerSpec',
    (spec) => filled(spec, { minReplicas: 1, ...DEFAULT_METRICS }),
  ],
  ['autoscaling.v2.HorizontalPodAutoscalerBehavior', autoscalerBehaviour],
  ['rbac.v1.RoleRef', withRoleGroup],
  ['rbac.v1.Subject', subject],
  [
    'scheduling.v1.PriorityClass',
    (priority) => filled(priority, { preemptionPolicy: 'PreemptLowerPriority' }),
  ],
  ['admissionregistration.v1.ValidatingWebhook', webhook],
  [
    'admissionregistration.v1.MutatingWebhook',
    (value) => filled(webhook(value), { reinvocationPolicy: 'Never' }),
  ],
  ['admissionregistration.v1.MatchResources', matchResources],
  ['admissionregistration.v1.ValidatingAdmissionPolicySpec', failing],
  ['admissionregistration.v1.MutatingAdmissionPolicySpec', failing],
  ['admissionregistration.v1.NamedRuleWithOperations', (rule) => filled(rule, { scope: '*' })],
  ['admissionregistration.v1.RuleWithOperations', (rule) => filled(rule, { scope: '*' })],
  ['admissionregistration.v1.ServiceReference', (service) => filled(service, { port: 443 })],
  ['apiregistration.v1.ServiceReference', (service) => filled(service, { port: 443 })],
];
