import { duplicate, type FieldError, invalid, notSupported, required } from '@perigee/api/errors';
import { isJsonObject, type JsonObject } from '@perigee/api/json';
import {
  checkDns1035Label,
  checkDnsSubdomain,
  checkQualifiedName,
} from '@perigee/api/values/names';
import { objectAt, objectsAt, textAt } from '../../kinds/fields.ts';
import type { KindRule } from '../../kinds/rules/kind-rule.ts';
import type { Declarations } from '../cel/admission-program.ts';
import { compileVariables } from '../policies/policy.ts';
import { expressionProblems, matchConditionProblems } from './condition-problems.ts';
import { matchResourcesProblems } from './match-resources-problems.ts';

type Errors = readonly FieldError[];

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const NEITHER = 'validations or auditAnnotations must contain at least one item';

const versionProblems = (apiVersion: string, path: string): Errors => {
  if (apiVersion === '') return [required(path)];
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const [group, version = ''] = parts.length === 1 ? ['', apiVersion] : parts;
  const joined = (value: string, problems: readonly string[]): Errors =>
    problems.length === 0 ? [] : [invalid(path, value, problems.join(','))];
  return [
    ...(group === undefined || group === '' ? [] : joined(group, checkDnsSubdomain(group))),
    ...(version === ''
      ? [invalid(path, apiVersion, 'version must be specified')]
      : joined(version, checkDns1035Label(version))),
  ];
};

const paramKindProblems = (paramKind: JsonObject, path: string): Errors => {
  const kind = textAt(paramKind, 'kind');
  const problems = kind === '' ? [] : checkDns1035Label(kind.toLowerCase());
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [
    ...versionProblems(textAt(paramKind, 'apiVersion'), `${path}.apiVersion`),
    ...(kind === '' ? [required(`${path}.kind`)] : []),
    ...(problems.length === 0 ? [] : [invalid(`${path}.kind`, kind, why)]),
  ];
};

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

const variableProblems = (spec: JsonObject, base: Declarations, path: string): Errors => {
  const stored = objectsAt(spec, 'variables').map((variable) => ({
    name: textAt(variable, 'name'),
    expression: textAt(variable, 'expression'),
  }));
  return stored.flatMap(({ name, expression }, index) => {
    const at = `${path}.variables[${index}]`;
    const { variablesType } = compileVariables(stored.slice(0, index), base);
    return [
      ...(name.trim() === '' ? [required(`${at}.name`, 'name is not specified')] : []),
      ...(name.trim() === '' || IDENTIFIER.test(name)
        ? []
        : [invalid(`${at}.name`, name, 'must be a valid CEL identifier')]),
      ...(expression.trim() === ''
        ? [required(`${at}.expression`, 'expression is not specified')]
        : expressionProblems(
            expression,
            { ...base, variables: variablesType },
            [],
            `${at}.expression`,
          )),
    ];
  });
};

const messageProblems = (
  validation: JsonObject,
  declarations: Declarations,
  path: string,
): Errors => {
  const message = textAt(validation, 'message');
  const made = textAt(validation, 'messageExpression');
  const empty = 'must be non-empty if specified';
  return [
    ...(made !== '' && made.trim() === ''
      ? [invalid(`${path}.messageExpression`, made, empty)]
      : []),
    ...(made.trim() === ''
      ? []
      : expressionProblems(made, declarations, ['string'], `${path}.messageExpression`)),
    ...(message !== '' && message.trim() === ''
      ? [invalid(`${path}.message`, message, empty)]
      : []),
    ...(/[\n\r]/.test(message.trim())
      ? [invalid(`${path}.message`, message, 'must not contain line breaks')]
      : []),
  ];
};

const validationProblems = (
  validation: JsonObject,
  test: Declarations,
  text: Declarations,
  path: string,
): Errors => {
  const expression = textAt(validation, 'expression');
  const { reason } = validation;
  return [
    ...(expression.trim() === ''
      ? [required(`${path}.expression`, 'expression is not specified')]
      : expressionProblems(expression, test, ['bool'], `${path}.expression`)),
    ...messageProblems(validation, text, path),
    ...(typeof reason !== 'string' || REASONS.includes(reason)
      ? []
      : [notSupported(`${path}.reason`, reason, REASONS)]),
  ];
};

const annotationProblems = (
  annotation: JsonObject,
  policy: string,
  declarations: Declarations,
  path: string,
): Errors => {
  const key = `${policy}/${textAt(annotation, 'key')}`;
  const value = textAt(annotation, 'valueExpression').trim();
  return [
    ...checkQualifiedName(key).map((problem) => invalid(`${path}.key`, key, problem)),
    ...(value === ''
      ? [required(`${path}.valueExpression`, 'valueExpression is not specified')]
      : expressionProblems(value, declarations, ['string', 'null'], `${path}.valueExpression`)),
  ];
};

const contentProblems = (spec: JsonObject, name: string, base: Declarations): Errors => {
  const validations = objectsAt(spec, 'validations');
  const annotations = objectsAt(spec, 'auditAnnotations');
  if (validations.length === 0 && annotations.length === 0) {
    return [required('spec.validations', NEITHER), required('spec.auditAnnotations', NEITHER)];
  }
  const stored = objectsAt(spec, 'variables') as unknown as Parameters<typeof compileVariables>[0];
  const { variablesType: variables } = compileVariables(stored, base);
  const test = stored?.length ? { ...base, variables } : base;
  const { authorizer: _, ...text } = test;
  const keys = annotations.map((annotation) => textAt(annotation, 'key'));
  return [
    ...validations.flatMap((validation, index) =>
      validationProblems(validation, test, text, `spec.validations[${index}]`),
    ),
    ...annotations.flatMap((annotation, index) => [
      ...annotationProblems(annotation, name, test, `spec.auditAnnotations[${index}]`),
      ...(keys.indexOf(keys[index] ?? '') < index
        ? [duplicate(`spec.auditAnnotations[${index}].key`, keys[index])]
        : []),
    ]),
  ];
};

/** What is wrong with a ValidatingAdmissionPolicy; its expressions are compiled for that. */
export const policyProblems: KindRule = (policy) => {
  const spec = objectAt(policy, 'spec');
  const { matchConstraints, paramKind } = spec;
  const base = { params: isJsonObject(paramKind), authorizer: true };
  return [
    ...(isJsonObject(paramKind) ? paramKindProblems(paramKind, 'spec.paramKind') : []),
    ...(isJsonObject(matchConstraints)
      ? [
          ...matchResourcesProblems(matchConstraints, 'spec.matchConstraints'),
          ...(objectsAt(matchConstraints, 'resourceRules').length === 0
            ? [required('spec.matchConstraints.resourceRules')]
            : []),
        ]
      : [required('spec.matchConstraints')]),
    ...matchConditionProblems(spec, base, 'spec'),
    ...variableProblems(spec, base, 'spec'),
    ...contentProblems(spec, textAt(objectAt(policy, 'metadata'), 'name'), base),
  ];
};
