import { type FieldError, invalid, required } from '@perigee/schema/errors';
import type { CrdColumn } from './crd.ts';
import { simplePathProblem } from './simple-path.ts';

const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** What is wrong with the columns that `kubectl get` is to show. */
export const validateColumns = (
  columns: readonly CrdColumn[],
  path: string,
): readonly FieldError[] =>
  columns.flatMap(({ name, type, format, jsonPath }, at) => {
    const errors: FieldError[] = [];
    const field = `${path}[${at}]`;
    const types = `must be one of ${TYPES.join(',')}`;
    if (name === '') errors.push(required(`${field}.name`));
    if (type === '') errors.push(required(`${field}.type`, types));
    else if (!TYPES.includes(type)) errors.push(invalid(`${field}.type`, type, types));
    if (format !== '' && !FORMATS.includes(format)) {
      errors.push(invalid(`${field}.format`, format, `must be one of ${FORMATS.join(',')}`));
    }
    const problem = simplePathProblem(jsonPath);
    if (jsonPath === '') errors.push(required(`${field}.JSONPath`));
    else if (problem) errors.push(invalid(`${field}.JSONPath`, jsonPath, problem));
    return errors;
  });
