import { type FieldError, forbidden, invalid } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { ruleProblems } from '@perigee/schema/validate/rule-problems';
import { defaultProblems } from './default-problems.ts';
import { isBeyondStructural, openApiProblems } from './open-api-problems.ts';
import { isTrueAt, type SchemaNode, textAt } from './schema-node.ts';
import { structuralProblems } from './structural-problems.ts';

/** Written apart from the rest, the status is checked apart: no check may span both. */
const ROOT_FIELDS = new Map([
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
]);

/** Go does not distinguish these from absent. */
const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || value === '' || value === false;

const rootProblems = (schema: SchemaNode, hasStatus: boolean, path: string): FieldError[] => {
  const errors: FieldError[] = [];
  const type = textAt(schema, 'type');
  const isRefused = (name: string): boolean => !ROOT_FIELDS.has(name) && !isEmpty(schema[name]);
  const because = 'at the root of the schema if the status subresource is enabled';
  if (hasStatus && type !== '' && type !== 'object') {
    errors.push(invalid(`${path}.type`, type, `only "object" is allowed as the type ${because}`));
  } else if (hasStatus && Object.keys(schema).some(isRefused)) {
    const allowedFields = [...ROOT_FIELDS.values()].join(' ');
    errors.push(invalid(path, schema, `only [${allowedFields}] fields are allowed ${because}`));
  }
  if (isTrueAt(schema, 'nullable')) {
    errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  }
  return errors;
};

const UNUSED_OLD_SELF = 'may not be set if oldSelf is not used in rule';

/** Rules that ask for an optional old value and do not use it. */
const unusedOldSelf = (node: StructuralSchema, path: string): readonly FieldError[] => [
  ...(node['x-kubernetes-validations'] ?? []).flatMap(({ rule, optionalOldSelf }, at) =>
    optionalOldSelf !== undefined && !/\boldSelf\b/.test(rule)
      ? [
          invalid(
            `${path}.x-kubernetes-validations[${at}].optionalOldSelf`,
            optionalOldSelf,
            UNUSED_OLD_SELF,
          ),
        ]
      : [],
  ),
  ...Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
    unusedOldSelf(property, `${path}.properties[${name}]`),
  ),
  ...(node.items ? unusedOldSelf(node.items, `${path}.items`) : []),
  ...(typeof node.additionalProperties === 'object'
    ? unusedOldSelf(node.additionalProperties, `${path}.additionalProperties`)
    : []),
];

/** Problems of the schema of a CRD; `path` is that of the `openAPIV3Schema`. */
export const validateSchema = (
  schema: StructuralSchema,
  hasStatus: boolean,
  path: string,
  /** True if the definition that is replaced has the same schema. */
  isKnown = false,
): readonly FieldError[] => {
  const node = schema as JsonObject;
  const ofRoot = rootProblems(node, hasStatus, path);
  const ofForm = openApiProblems(node, path);
  if (isBeyondStructural(node)) {
    const errors = [...ofRoot, ...ofForm];
    return errors.length > 0
      ? errors
      : [invalid(path, '', "OpenAPIV3Schema 'schema' is not supported")];
  }
  const ofStructure = structuralProblems(node, path);
  // Only a structural schema has defaults and rules that mean something.
  const ofDefaults = ofStructure.length > 0 ? [] : defaultProblems(schema, path);
  const errors = [...ofRoot, ...ofStructure, ...ofDefaults, ...ofForm];
  if (ofStructure.length > 0 || ofDefaults.length > 0 || ofForm.length > 0) return errors;
  const ofRules = ruleProblems(schema, isKnown).map((error) => ({
    ...error,
    field: error.field === '' ? path : `${path}.${error.field}`,
  }));
  return [...errors, ...ofRules, ...unusedOldSelf(schema, path)];
};
