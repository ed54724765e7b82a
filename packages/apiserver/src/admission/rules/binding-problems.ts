import type { KindRule } from '@perigee/kubernetes/kinds/rules/kind-rule';
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { objectAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { checkDnsSubdomain } from '@perigee/schema/values/names';
import { matchResourcesProblems } from './match-resources-problems.ts';

type Errors = readonly FieldError[];

const BOTH = 'name and selector are mutually exclusive';

const actionProblems = (spec: JsonObject, path: string): Errors => {
  const actions = textsAt(spec, 'validationActions');
  return [
    ...actions.flatMap((action, index) =>
      actions.indexOf(action) < index ? [duplicate(`${path}[${index}]`, action)] : [],
    ),
    ...(actions.includes('Deny') && actions.includes('Warn')
      ? [
          invalid(
            path,
            actions,
            'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
          ),
        ]
      : []),
  ];
};

const paramRefProblems = (ref: JsonObject, path: string): Errors => {
  const name = textAt(ref, 'name');
  const action = textAt(ref, 'parameterNotFoundAction');
  const at = `${path}.parameterNotFoundAction`;
  const { selector } = ref;
  const hasSelector = isJsonObject(selector);
  return [
    ...(name !== '' && hasSelector ? [forbidden(`${path}.name`, BOTH)] : []),
    ...(name !== '' && hasSelector ? [forbidden(`${path}.selector`, BOTH)] : []),
    ...(name === '' && !hasSelector
      ? [required(path, 'one of name or selector must be specified')]
      : []),
    ...(action === '' ? [required(at)] : []),
    ...(['', 'Allow', 'Deny'].includes(action)
      ? []
      : [notSupported(at, action, ['Deny', 'Allow'])]),
  ];
};

/** Problems of a ValidatingAdmissionPolicyBinding. */
export const bindingProblems: KindRule = (binding) => {
  const spec = objectAt(binding, 'spec');
  const policy = textAt(spec, 'policyName');
  const { paramRef, matchResources } = spec;
  return [
    ...(policy === ''
      ? []
      : checkDnsSubdomain(policy).map((problem) => invalid('spec.policyName', policy, problem))),
    ...(isJsonObject(paramRef) ? paramRefProblems(paramRef, 'spec.paramRef') : []),
    ...(isJsonObject(matchResources)
      ? matchResourcesProblems(matchResources, 'spec.matchResources')
      : []),
    ...actionProblems(spec, 'spec.validationActions'),
  ];
};
