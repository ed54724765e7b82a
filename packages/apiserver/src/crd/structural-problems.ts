import { type FieldError, forbidden, invalid, required } from '@perigee/schema/errors';
import { completenessProblems } from './completeness-problems.ts';
import { junctorProblems } from './junctor-problems.ts';
import {
  isTrueAt,
  namedNodesAt,
  nodeAt,
  propertyAt,
  type SchemaNode,
  textAt,
} from './schema-node.ts';

type Level = 'root' | 'item' | 'field';

const NO_TYPE: { readonly [level in Level]: string } = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const typeProblems = (node: SchemaNode, level: Level, path: string): readonly FieldError[] => {
  const type = textAt(node, 'type');
  const at = `${path}.type`;
  const errors: FieldError[] = [];
  if (isTrueAt(node, 'x-kubernetes-embedded-resource') && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  } else if (
    type === '' &&
    !isTrueAt(node, 'x-kubernetes-int-or-string') &&
    !isTrueAt(node, 'x-kubernetes-preserve-unknown-fields')
  ) {
    errors.push(required(at, NO_TYPE[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(at, type, 'must be object at the root'));
  }
  return errors;
};

const METADATA_NAMES = new Set(['name', 'generateName']);
const METADATA_KEYS = new Set(['type', 'default', 'properties']);

const constrainsMoreThanNames = (metadata: SchemaNode): boolean =>
  Object.keys(metadata).some((key) => !METADATA_KEYS.has(key)) ||
  namedNodesAt(metadata, 'properties').some(([name]) => !METADATA_NAMES.has(name));

/** The fields of a whole object are those of every object; a schema may only narrow the name. */
const resourceProblems = (node: SchemaNode, level: Level, path: string): readonly FieldError[] => {
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const field = propertyAt(node, name);
    const type = field && textAt(field, 'type');
    if (type !== undefined && type !== 'string') {
      errors.push(invalid(`${path}.properties[${name}].type`, type, 'must be string'));
    }
  }
  const metadata = propertyAt(node, 'metadata');
  if (metadata === undefined) return errors;
  const at = `${path}.properties[metadata]`;
  const type = textAt(metadata, 'type');
  if (type !== 'object') errors.push(invalid(`${at}.type`, type, 'must be object'));
  if (level === 'root' && constrainsMoreThanNames(metadata)) {
    const detail =
      'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(at, detail));
  }
  return errors;
};

const extensionProblems = (node: SchemaNode, level: Level, path: string): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const keepsUnknown = isTrueAt(node, 'x-kubernetes-preserve-unknown-fields');
  const isEmbedded = isTrueAt(node, 'x-kubernetes-embedded-resource');
  if (isTrueAt(node, 'x-kubernetes-int-or-string')) {
    const detail = 'must be false if x-kubernetes-int-or-string is true';
    const refuse = (name: string) => errors.push(invalid(`${path}.${name}`, true, detail));
    if (keepsUnknown) refuse('x-kubernetes-preserve-unknown-fields');
    if (isEmbedded) refuse('x-kubernetes-embedded-resource');
  }
  if (isEmbedded && node.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (isEmbedded && !keepsUnknown && namedNodesAt(node, 'properties').length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, detail));
  }
  if (level === 'root' && node.additionalProperties !== undefined) {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  return errors;
};

const nodeProblems = (node: SchemaNode, level: Level, path: string): readonly FieldError[] => {
  const items = nodeAt(node, 'items');
  const additional = nodeAt(node, 'additionalProperties');
  const isResource = level === 'root' || isTrueAt(node, 'x-kubernetes-embedded-resource');
  return [
    ...(textAt(node, 'type') === 'array' && items === undefined
      ? [required(`${path}.items`, 'must be specified')]
      : []),
    ...(items ? nodeProblems(items, 'item', `${path}.items`) : []),
    ...namedNodesAt(node, 'properties').flatMap(([name, property]) =>
      nodeProblems(property, 'field', `${path}.properties[${name}]`),
    ),
    ...(additional ? nodeProblems(additional, 'field', `${path}.additionalProperties`) : []),
    ...extensionProblems(node, level, path),
    ...junctorProblems(node, path),
    ...typeProblems(node, level, path),
    ...(isResource ? resourceProblems(node, level, path) : []),
  ];
};

const byText = (a: FieldError, b: FieldError): number =>
  `${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1;

/** Reasons why a schema is not structural; empty if it is. Pruning and defaulting need a structural schema. */
export const structuralProblems = (schema: SchemaNode, path: string): readonly FieldError[] =>
  [...nodeProblems(schema, 'root', path), ...completenessProblems(schema, path)].sort(byText);
