import { type FieldError, invalid } from '@perigee/schema/errors';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { NO_FIELD } from '@perigee/schema/structural/walk';
import { compileValidator } from '@perigee/schema/validate/validate';

/** Name of the one field that holds the default during validation; paths below it start there. */
const HOLDER = '';

const stepTo = (field: string): string => {
  if (field === NO_FIELD || field === '') return '';
  return field.startsWith('.') ? field : `.${field}`;
};

/** No default is null, so only the remark that rules were not run can show null. */
const isAboutRules = ({ field, message }: FieldError): boolean =>
  field === NO_FIELD && message.startsWith('Invalid value: null:');

const ownProblems = (node: StructuralSchema, path: string): readonly FieldError[] => {
  const value = node.default ?? null;
  if (value === null) return [];
  const at = `${path}.default`;
  const { default: _, ...bare } = node;
  const holder: StructuralSchema = { type: 'object', properties: { [HOLDER]: bare } };
  const object = { [HOLDER]: value };
  const { unknownFields } = compileDecoder(holder)(object);
  const errors = compileValidator(holder)(object).filter((error) => !isAboutRules(error));
  return [
    ...(unknownFields.length > 0 ? [invalid(at, value, 'must not have unknown fields')] : []),
    ...errors.map(({ field, ...error }) => ({ ...error, field: `${at}${stepTo(field)}` })),
  ];
};

const nodeProblems = (node: StructuralSchema, path: string): readonly FieldError[] => [
  ...ownProblems(node, path),
  ...(node.items ? nodeProblems(node.items, `${path}.items`) : []),
  ...Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
    nodeProblems(property, `${path}.properties[${name}]`),
  ),
];

/**
 * Problems of the defaults in a structural schema: each must be a valid value, or the server would make invalid
 * objects out of valid ones.
 */
export const defaultProblems = (schema: StructuralSchema, path: string): readonly FieldError[] =>
  nodeProblems({ ...schema, 'x-kubernetes-embedded-resource': true }, path);
