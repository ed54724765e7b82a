import type { KindRule } from '@perigee/kubernetes/kinds/rules/kind-rule';
import { type FieldError, invalid, notSupported, required } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt, textsAt } from '@perigee/schema/json-fields';
import type { Declarations } from '../cel/admission-program.ts';
import { compileVariables } from '../policies/policy.ts';
import { bindingProblems } from './binding-problems.ts';
import { expressionProblems } from './condition-problems.ts';
import { declarationsOf, policySpecProblems } from './policy-spec-problems.ts';

type Errors = readonly FieldError[];

/** A deletion has no object that could be changed. */
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

const PATCHES = {
  ApplyConfiguration: { field: 'applyConfiguration', result: 'Object' },
  JSONPatch: { field: 'jsonPatch', result: 'list(JSONPatch)' },
} as const;
const TYPES = ['ApplyConfiguration', 'JSONPatch'] as const;

const operationProblems = (match: JsonObject, path: string): Errors =>
  objectsAt(match, 'resourceRules')
    .flatMap((rule) => textsAt(rule, 'operations'))
    .filter((operation) => !OPERATIONS.includes(operation))
    .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, OPERATIONS));

const mutationProblems = (
  mutation: JsonObject,
  declarations: Declarations,
  path: string,
): Errors => {
  const patchType = textAt(mutation, 'patchType');
  if (patchType === '') return [required(`${path}.patchType`)];
  const type = TYPES.find((candidate) => candidate === patchType);
  // Unknown types have been refused already.
  if (type === undefined) return [];
  const { field, result } = PATCHES[type];
  const { field: other } = PATCHES[type === 'JSONPatch' ? 'ApplyConfiguration' : 'JSONPatch'];
  const expression = textAt(objectAt(mutation, field), 'expression').trim();
  const at = `${path}.${field}`;
  const own =
    expression === ''
      ? [required(`${at}.expression`)]
      : expressionProblems(expression, declarations, [result], `${at}.expression`);
  const when = `be specified when patchType is ${type}`;
  return [
    ...(isJsonObject(mutation[field]) ? own : [required(at, `must ${when}`)]),
    ...(isJsonObject(mutation[other])
      ? [invalid(`${path}.${other}`, `{${other}}`, `must not ${when}`)]
      : []),
  ];
};

const allMutationProblems = (spec: JsonObject, base: Declarations): Errors => {
  const mutations = objectsAt(spec, 'mutations');
  if (mutations.length === 0) {
    return [required('spec.mutations', 'mutations must contain at least one item')];
  }
  const variableSpecs = objectsAt(spec, 'variables') as unknown as Parameters<
    typeof compileVariables
  >[0];
  const { variablesType: variables } = compileVariables(variableSpecs, base);
  const declarations = { ...base, ...(variableSpecs?.length ? { variables } : {}), patches: true };
  return mutations.flatMap((mutation, index) =>
    mutationProblems(mutation, declarations, `spec.mutations[${index}]`),
  );
};

const reinvocationProblems = (spec: JsonObject): Errors =>
  textAt(spec, 'reinvocationPolicy') === '' ? [required('spec.reinvocationPolicy')] : [];

/** Problems of a MutatingAdmissionPolicy, with those of its expressions, which are compiled. */
export const mutatingPolicyProblems: KindRule = (policy) => {
  const spec = objectAt(policy, 'spec');
  const base = declarationsOf(spec);
  return [
    ...policySpecProblems(spec, base),
    ...operationProblems(objectAt(spec, 'matchConstraints'), 'spec.matchConstraints'),
    ...allMutationProblems(spec, base),
    ...reinvocationProblems(spec),
  ];
};

/** Problems of a MutatingAdmissionPolicyBinding. */
export const mutatingBindingProblems: KindRule = (binding, old) => {
  const spec = objectAt(binding, 'spec');
  return [
    ...(textAt(spec, 'policyName') === '' ? [required('spec.policyName')] : []),
    ...bindingProblems(binding, old),
    ...operationProblems(objectAt(spec, 'matchResources'), 'spec.matchResources'),
  ];
};
