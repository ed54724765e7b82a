import { typeInvalid } from '../errors.ts';
import { formatCheck } from '../formats/formats.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { renderPath, report, type Walk } from '../structural/walk.ts';
import type { JsonKind } from './json-kind.ts';

interface TypeProblem {
  readonly expected: string;
  readonly actual: string;
}

/** The message for each kind of value that the schema does not take. */
export type TypeProblems = { readonly [kind in JsonKind]?: TypeProblem };

const typesOf = (schema: StructuralSchema): readonly string[] => {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
};

/** The format, if it is one that Kubernetes checks for values of this type; others are not checked. */
export const checkedFormat = (schema: StructuralSchema): string => {
  const { format = '' } = schema;
  const types = typesOf(schema);
  switch (types.length === 1 ? types[0] : 'string') {
    case 'string':
      return formatCheck(format) === undefined ? '' : format;
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
};

export const hasTypeCheck = (schema: StructuralSchema): boolean =>
  typesOf(schema).length > 0 || checkedFormat(schema) !== '';

const FORMATS: { readonly [kind in JsonKind]?: string } = { integer: 'int64', number: 'float64' };

/** Kubernetes names the format instead of the type when a value cannot even have that format. */
const problemOf = (schema: StructuralSchema, kind: JsonKind): TypeProblem | undefined => {
  const types = typesOf(schema);
  const format = checkedFormat(schema);
  if (kind === 'null') {
    const isFine = types.length === 0 || schema.nullable === true;
    return isFine ? undefined : { expected: types.join(','), actual: kind };
  }
  if (types.includes(kind) || (kind === 'integer' && types.includes('number'))) return undefined;
  const isText = kind === 'string' || kind === 'array';
  if (format !== '' && !isText && FORMATS[kind] !== format) {
    return { expected: format, actual: FORMATS[kind] ?? '' };
  }
  return types.length === 0 ? undefined : { expected: types.join(','), actual: kind };
};

const KINDS: readonly JsonKind[] = [
  'null',
  'boolean',
  'integer',
  'number',
  'string',
  'array',
  'object',
];

export const typeProblems = (schema: StructuralSchema): TypeProblems =>
  Object.fromEntries(
    KINDS.flatMap((kind) => {
      const problem = problemOf(schema, kind);
      return problem === undefined ? [] : [[kind, problem]];
    }),
  );

export const reportType = (walk: Walk, since: number, { expected, actual }: TypeProblem): void => {
  const path = renderPath(walk.path);
  const detail = `${path} in body must be of type ${expected}: "${actual}"`;
  report(walk, since, typeInvalid(path, actual, detail));
};
