import { duplicate, type FieldError, invalid, required, tooMany } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectsAt, textAt } from '@perigee/schema/json-fields';
import { checkQualifiedName } from '@perigee/schema/values/names';
import { compileAdmission, type Declarations } from '../cel/admission-program.ts';

type Errors = readonly FieldError[];
type Wanted = Parameters<typeof compileAdmission>[2];

const MOST_CONDITIONS = 64;

/** Errors of the compiler for an expression. */
export const expressionProblems = (
  source: string,
  declarations: Declarations,
  resultTypes: Wanted,
  path: string,
): Errors => {
  const compiled = compileAdmission(source, declarations, resultTypes);
  return 'problem' in compiled ? [invalid(path, source, compiled.problem)] : [];
};

const conditionProblems = (
  condition: JsonObject,
  declarations: Declarations,
  path: string,
): Errors => {
  const expression = textAt(condition, 'expression').trim();
  const name = textAt(condition, 'name');
  return [
    ...(expression === ''
      ? [required(`${path}.expression`)]
      : expressionProblems(expression, declarations, ['bool'], `${path}.expression`)),
    ...(name === ''
      ? [required(`${path}.name`)]
      : checkQualifiedName(name).map((problem) => invalid(`${path}.name`, name, problem))),
  ];
};

/** Problems of the match conditions of a webhook or a policy. */
export const matchConditionProblems = (
  owner: JsonObject,
  declarations: Declarations,
  path: string,
): Errors => {
  const conditions = objectsAt(owner, 'matchConditions');
  const names = conditions.map((condition) => textAt(condition, 'name'));
  const at = `${path}.matchConditions`;
  return [
    ...(conditions.length > MOST_CONDITIONS
      ? [tooMany(at, conditions.length, MOST_CONDITIONS)]
      : []),
    ...conditions.flatMap((condition, index) => [
      ...conditionProblems(condition, declarations, `${at}[${index}]`),
      ...(names[index] !== '' && names.indexOf(names[index] ?? '') < index
        ? [duplicate(`${at}[${index}].name`, names[index])]
        : []),
    ]),
  ];
};
