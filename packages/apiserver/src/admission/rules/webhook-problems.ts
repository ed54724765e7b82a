import type { KindRule } from '@perigee/kubernetes/kinds/rules/kind-rule';
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { checkDns1035Label, checkDnsSubdomain } from '@perigee/schema/values/names';
import { clientProblems } from '../../crd/validate-conversion.ts';
import { matchConditionProblems } from './condition-problems.ts';
import { operationRuleProblems } from './operation-rule-problems.ts';

type Errors = readonly FieldError[];

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];

const nameProblems = (name: string, path: string): Errors => {
  if (name === '') return [required(path)];
  const problems = checkDnsSubdomain(name);
  return problems.length > 0 || name.split('.').length >= 3
    ? problems.map((problem) => invalid(path, name, problem))
    : [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
};

/** Old configurations may have webhooks with side effects; none may be added. */
const sideEffectProblems = (webhook: JsonObject, path: string): Errors => {
  const effects = textAt(webhook, 'sideEffects');
  return effects === '' || NO_SIDE_EFFECTS.includes(effects)
    ? []
    : [notSupported(`${path}.sideEffects`, effects, NO_SIDE_EFFECTS)];
};

const timeoutProblems = (webhook: JsonObject, path: string): Errors => {
  const seconds = numberAt(webhook, 'timeoutSeconds');
  return seconds === undefined || (seconds >= 1 && seconds <= 30)
    ? []
    : [
        invalid(
          `${path}.timeoutSeconds`,
          seconds,
          'the timeout value must be between 1 and 30 seconds',
        ),
      ];
};

const reviewVersionProblems = (webhook: JsonObject, path: string): Errors => {
  const versions = textsAt(webhook, 'admissionReviewVersions');
  const at = `${path}.admissionReviewVersions`;
  if (versions.length === 0) {
    return [required(at, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  }
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index
        ? [invalid(`${at}[${index}]`, version, 'duplicate version')]
        : checkDns1035Label(version).map((problem) => invalid(`${at}[${index}]`, version, problem)),
    ),
    ...(versions.some((version) => REVIEW_VERSIONS.includes(version))
      ? []
      : [invalid(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ];
};

const webhookProblems = (webhook: JsonObject, path: string): Errors => [
  ...nameProblems(textAt(webhook, 'name'), `${path}.name`),
  ...objectsAt(webhook, 'rules').flatMap((rule, index) =>
    operationRuleProblems(rule, `${path}.rules[${index}]`),
  ),
  ...sideEffectProblems(webhook, path),
  ...timeoutProblems(webhook, path),
  ...clientProblems(objectAt(webhook, 'clientConfig'), `${path}.clientConfig`),
  ...matchConditionProblems(webhook, { authorizer: true }, path),
  ...reviewVersionProblems(webhook, path),
];

/** Problems of a webhook configuration. */
export const webhookConfigurationProblems: KindRule = (configuration) => {
  const webhooks = objectsAt(configuration, 'webhooks');
  const names = webhooks.map((webhook) => textAt(webhook, 'name'));
  return webhooks.flatMap((webhook, index) => [
    ...webhookProblems(webhook, `webhooks[${index}]`),
    ...(names[index] !== '' && names.indexOf(names[index] ?? '') < index
      ? [duplicate(`webhooks[${index}].name`, names[index])]
      : []),
  ]);
};
