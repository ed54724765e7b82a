import { type FieldError, forbidden, invalid, notSupported } from '@perigee/schema/errors';
import { listTypeProblems } from './list-type-problems.ts';
import { ruleTextProblems } from './rule-text-problems.ts';
import {
  childNodes,
  isTrueAt,
  listAt,
  namedNodesAt,
  nodeAt,
  type SchemaNode,
  textAt,
} from './schema-node.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Fields of JSON Schema that no schema of Kubernetes may have. */
const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
];

interface Context {
  /** Why there may be no default; nothing where there may be one. */
  readonly noDefaults: string | undefined;
  /** True if this is a part of `metadata`, `kind` or `apiVersion`. */
  readonly isMeta: boolean;
}

const ROOT: Context = { noDefaults: undefined, isMeta: false };

const formProblems = (node: SchemaNode, path: string, context: Context): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const refuse = (name: string, detail: string): void => {
    errors.push(forbidden(`${path}.${name}`, detail));
  };
  const type = textAt(node, 'type');
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES));
  if ((node.default ?? null) !== null && context.noDefaults !== undefined) {
    refuse('default', `must not be set ${context.noDefaults}`);
  }
  for (const name of UNSUPPORTED) {
    if (node[name] !== undefined) refuse(name, `${name} is not supported`);
  }
  if (type === 'null') {
    refuse('type', 'type cannot be set to null, use nullable as an alternative');
  }
  if (listAt(node, 'items').length > 0) {
    refuse('items', 'items must be a schema object and not an array');
  }
  if (context.isMeta && isTrueAt(node, 'x-kubernetes-embedded-resource')) {
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  if (isTrueAt(node, 'uniqueItems')) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    refuse('uniqueItems', detail);
  }
  const { additionalProperties } = node;
  const hasBoth = namedNodesAt(node, 'properties').length > 0 && additionalProperties !== undefined;
  if (hasBoth && additionalProperties !== true) {
    refuse('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  }
  const keepsUnknown = node['x-kubernetes-preserve-unknown-fields'];
  if (keepsUnknown === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalid(at, keepsUnknown, 'must be true or undefined'));
  }
  return errors;
};

const META_FIELD = /^properties\[(metadata|kind|apiVersion)\]$/;

const contextBelow = (
  step: string,
  node: SchemaNode,
  isRoot: boolean,
  context: Context,
): Context => {
  if (step === 'additionalProperties' && context.isMeta) {
    return { ...context, noDefaults: 'inside additionalProperties applying to object metadata' };
  }
  const field = META_FIELD.exec(step)?.[1];
  if (field === undefined || !(isRoot || isTrueAt(node, 'x-kubernetes-embedded-resource'))) {
    return context;
  }
  return { noDefaults: isRoot ? `in top-level ${field}` : context.noDefaults, isMeta: true };
};

const nodeProblems = (
  node: SchemaNode,
  path: string,
  isRoot: boolean,
  context: Context,
): readonly FieldError[] => [
  ...formProblems(node, path, context),
  ...childNodes(node).flatMap(([step, child]) =>
    nodeProblems(child, `${path}.${step}`, false, contextBelow(step, node, isRoot, context)),
  ),
  ...listTypeProblems(node, path),
  ...ruleTextProblems(node, path),
];

/** Keywords that Kubernetes forbids in every schema, and contradictions between keywords. */
export const openApiProblems = (schema: SchemaNode, path: string): readonly FieldError[] =>
  nodeProblems(schema, path, true, ROOT);

/** True if a schema uses what structural schemas do not have; if so, it cannot be read as one. */
export const isBeyondStructural = (node: SchemaNode): boolean =>
  UNSUPPORTED.some((name) => node[name] !== undefined) ||
  textAt(node, '$schema') !== '' ||
  listAt(node, 'items').length > 0 ||
  node['x-kubernetes-preserve-unknown-fields'] === false ||
  childNodes(node).some(([, child]) => isBeyondStructural(child)) ||
  nodeAt(node, 'patternProperties') !== undefined;
