import type { KindRule } from '@perigee/kubernetes/kinds/rules/kind-rule';
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { checkQualifiedName } from '@perigee/schema/values/names';
import type { Declarations } from '../cel/admission-program.ts';
import { compileVariables } from '../policies/policy.ts';
import { expressionProblems } from './condition-problems.ts';
import { declarationsOf, policySpecProblems } from './policy-spec-problems.ts';

type Errors = readonly FieldError[];

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const NEITHER = 'validations or auditAnnotations must contain at least one item';

const messageProblems = (
  validation: JsonObject,
  declarations: Declarations,
  path: string,
): Errors => {
  const message = textAt(validation, 'message');
  const messageExpression = textAt(validation, 'messageExpression');
  const empty = 'must be non-empty if specified';
  return [
    ...(messageExpression !== '' && messageExpression.trim() === ''
      ? [invalid(`${path}.messageExpression`, messageExpression, empty)]
      : []),
    ...(messageExpression.trim() === ''
      ? []
      : expressionProblems(
          messageExpression,
          declarations,
          ['string'],
          `${path}.messageExpression`,
        )),
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
  const variableSpecs = objectsAt(spec, 'variables') as unknown as Parameters<
    typeof compileVariables
  >[0];
  const { variablesType: variables } = compileVariables(variableSpecs, base);
  const test = variableSpecs?.length ? { ...base, variables } : base;
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

/** Problems of a ValidatingAdmissionPolicy, with those of its expressions, which are compiled. */
export const policyProblems: KindRule = (policy) => {
  const spec = objectAt(policy, 'spec');
  const base = declarationsOf(spec);
  return [
    ...policySpecProblems(spec, base),
    ...contentProblems(spec, textAt(objectAt(policy, 'metadata'), 'name'), base),
  ];
};
