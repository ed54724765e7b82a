import { type FieldError, forbidden, invalid } from '@perigee/schema/errors';
import { toPattern } from '@perigee/schema/pattern';
import {
  isTrueAt,
  listAt,
  namedNodesAt,
  nodeAt,
  nodesAt,
  propertyAt,
  type SchemaNode,
  textAt,
} from './schema-node.ts';

const isOnlyType = (node: SchemaNode | undefined, type: string): boolean =>
  node !== undefined && node.type === type && Object.keys(node).length === 1;

/** The one place inside a junctor where Kubernetes allows types: `anyOf: [integer, string]`. */
const isIntOrString = (alternatives: readonly SchemaNode[]): boolean =>
  alternatives.length === 2 &&
  isOnlyType(alternatives[0], 'integer') &&
  isOnlyType(alternatives[1], 'string');

/** Keywords that a junctor must not contain: it validates values, and must not define the structure. */
const ownProblems = (node: SchemaNode, path: string): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const refuse = (name: string, detail: string): void => {
    errors.push(forbidden(`${path}.${name}`, `${detail} to be structural`));
  };
  const { additionalProperties } = node;
  if (textAt(node, 'type') !== '') refuse('type', 'must be empty');
  if (additionalProperties !== undefined && additionalProperties !== false) {
    refuse('additionalProperties', 'must be undefined');
  }
  if (node.default !== undefined && node.default !== null) refuse('default', 'must be undefined');
  for (const name of ['title', 'description']) {
    if (textAt(node, name) !== '') refuse(name, 'must be empty');
  }
  for (const name of [
    'nullable',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-int-or-string',
  ]) {
    if (isTrueAt(node, name)) refuse(name, 'must be false');
  }
  for (const name of ['x-kubernetes-list-map-keys', 'x-kubernetes-validations']) {
    if (listAt(node, name).length > 0) refuse(name, 'must be empty');
  }
  for (const name of ['x-kubernetes-list-type', 'x-kubernetes-map-type']) {
    if (textAt(node, name) !== '') refuse(name, 'must be undefined');
  }
  if (propertyAt(node, 'metadata') !== undefined) {
    const detail = 'must not be specified in a nested context';
    errors.push(forbidden(`${path}.properties[metadata]`, detail));
  }
  return errors;
};

const nestedProblems = (node: SchemaNode, path: string, mayHaveTypes = false): FieldError[] => {
  const items = nodeAt(node, 'items');
  return [
    ...valueProblems(node, path, mayHaveTypes),
    ...(items ? nestedProblems(items, `${path}.items`) : []),
    ...namedNodesAt(node, 'properties').flatMap(([name, property]) =>
      nestedProblems(property, `${path}.properties[${name}]`),
    ),
    ...ownProblems(node, path),
  ];
};

const valueProblems = (node: SchemaNode, path: string, mayHaveTypes: boolean): FieldError[] => {
  const anyOf = nodesAt(node, 'anyOf');
  const [firstOfAll, ...others] = nodesAt(node, 'allOf');
  const not = nodeAt(node, 'not');
  const pattern = textAt(node, 'pattern');
  const compiledPattern = pattern === '' ? undefined : toPattern(pattern);
  const within = (junctor: string, nodes: readonly SchemaNode[], from = 0) =>
    nodes.flatMap((child, at) => nestedProblems(child, `${path}.${junctor}[${at + from}]`));
  return [
    ...(mayHaveTypes && isIntOrString(anyOf) ? [] : within('anyOf', anyOf)),
    ...(firstOfAll ? nestedProblems(firstOfAll, `${path}.allOf[0]`, true) : []),
    ...within('allOf', others, 1),
    ...within('oneOf', nodesAt(node, 'oneOf')),
    ...(not ? nestedProblems(not, `${path}.not`) : []),
    ...(compiledPattern && 'error' in compiledPattern
      ? [
          invalid(
            `${path}.pattern`,
            pattern,
            `must be a valid regular expression, but isn't: ${compiledPattern.error}`,
          ),
        ]
      : []),
  ];
};

/** Problems of the value validations of a node, and of those inside its junctors. */
export const junctorProblems = (node: SchemaNode, path: string): readonly FieldError[] =>
  valueProblems(node, path, true);
