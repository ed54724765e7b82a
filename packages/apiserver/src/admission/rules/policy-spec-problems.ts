import { type FieldError, invalid, required } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { objectsAt, textAt } from '@perigee/schema/json-fields';
import { checkDns1035Label, checkDnsSubdomain } from '@perigee/schema/values/names';
import type { Declarations } from '../cel/admission-program.ts';
import { compileVariables } from '../policies/policy.ts';
import { expressionProblems, matchConditionProblems } from './condition-problems.ts';
import { matchResourcesProblems } from './match-resources-problems.ts';

type Errors = readonly FieldError[];

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
  const variableSpecs = objectsAt(spec, 'variables').map((variable) => ({
    name: textAt(variable, 'name'),
    expression: textAt(variable, 'expression'),
  }));
  return variableSpecs.flatMap(({ name, expression }, index) => {
    const at = `${path}.variables[${index}]`;
    const { variablesType } = compileVariables(variableSpecs.slice(0, index), base);
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

/** Declarations for the expressions of a policy, without its variables. */
export const declarationsOf = ({ paramKind }: JsonObject): Declarations => ({
  params: isJsonObject(paramKind),
  authorizer: true,
});

/** Problems of the part of the spec that policies of both kinds share. */
export const policySpecProblems = (spec: JsonObject, base: Declarations): Errors => {
  const { matchConstraints, paramKind } = spec;
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
  ];
};
