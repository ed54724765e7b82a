import { typeOfSchema } from '@perigee/kubernetes/types/schema-of';
import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import type { ServedResource } from '../resource/served-resource.ts';
import { API_VERSION, KIND, LIST_METADATA, META_SCHEMAS, METADATA } from './meta-schemas.ts';
import { modelName, typeModelName } from './model-name.ts';
import { type OpenApiSchema, type OpenApiSchemas, refTo } from './open-api-schema.ts';

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * The nodes of a schema that contain themselves, such as the schema of a schema, with a name for each.
 * A document can hold such a node only by reference.
 */
const recursiveNodes = (
  root: StructuralSchema,
  model: string,
): ReadonlyMap<StructuralSchema, string> => {
  const modelNames = new Map<StructuralSchema, string>();
  const open = new Map<StructuralSchema, string>();
  const visited = new Set<StructuralSchema>();
  const visit = (node: StructuralSchema, name: string): void => {
    const above = open.get(node);
    if (above !== undefined) modelNames.set(node, `${model}.${above}`);
    if (above !== undefined || visited.has(node)) return;
    open.set(node, name);
    const { properties = {}, items, additionalProperties } = node;
    for (const [key, property] of Object.entries(properties)) visit(property, capital(key));
    if (items) visit(items, name);
    if (typeof additionalProperties === 'object') visit(additionalProperties, name);
    for (const part of [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
      visit(part, name);
    }
    if (node.not) visit(node.not, name);
    open.delete(node);
    visited.add(node);
  };
  visit(root, 'Object');
  return modelNames;
};

type Convert = (node: StructuralSchema) => OpenApiSchema;

const INT_OR_STRING: readonly OpenApiSchema[] = [{ type: 'integer' }, { type: 'string' }];

const convertAll = (
  nodes: readonly StructuralSchema[] | undefined,
  convert: Convert,
): readonly OpenApiSchema[] | undefined => nodes?.map(convert);

/** The fields that every whole object has, wherever it stands. */
const asResource = (node: OpenApiSchema): OpenApiSchema => ({
  ...node,
  required: [...new Set([...(node.required ?? []), 'kind', 'apiVersion'])],
  properties: { ...node.properties, apiVersion: API_VERSION, kind: KIND, metadata: METADATA },
});

const convertNode = (node: StructuralSchema, convert: Convert): OpenApiSchema => {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not, ...rest } = node;
  const isIntOrString = node['x-kubernetes-int-or-string'] === true;
  const any = isIntOrString && !anyOf && !allOf ? INT_OR_STRING : convertAll(anyOf, convert);
  const openApiNode: OpenApiSchema = {
    ...rest,
    ...present({
      properties:
        properties &&
        Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [name, convert(property)]),
        ),
      items: items && convert(items),
      additionalProperties:
        typeof additionalProperties === 'object'
          ? convert(additionalProperties)
          : additionalProperties,
      allOf: convertAll(allOf, convert),
      anyOf: any,
      oneOf: convertAll(oneOf, convert),
      not: not && convert(not),
    }),
  };
  return node['x-kubernetes-embedded-resource'] ? asResource(openApiNode) : openApiNode;
};

const gvk = (group: string, version: string, kind: string): readonly JsonObject[] => [
  { group, version, kind },
];

const listSchema = ({ group, version, kind, listKind, plural }: ServedResource, model: string) => ({
  type: 'object',
  description: `A list of objects of kind ${kind}.`,
  required: ['items'],
  properties: {
    apiVersion: API_VERSION,
    items: { type: 'array', description: `The ${plural}.`, items: refTo(model) },
    kind: KIND,
    metadata: LIST_METADATA,
  },
  'x-kubernetes-group-version-kind': gvk(group, version, listKind),
});

/** The schemas of a resource and of its list, and of what in it refers to itself. */
export const resourceSchemas = (resource: ServedResource): OpenApiSchemas => {
  const { group, version, kind, listKind, schema, strategy } = resource;
  const model = modelName(resource);
  const recursive = recursiveNodes(schema, model);
  const definitions = new Map<string, OpenApiSchema>();
  const define = (name: string, node: StructuralSchema): void => {
    if (definitions.has(name) || name in META_SCHEMAS) return;
    // Registered before it is complete, as it may contain itself.
    definitions.set(name, {});
    definitions.set(name, convertNode(node, convert));
  };
  const convert: Convert = (node) => {
    const type = typeOfSchema(node);
    if (type !== undefined) {
      const name = typeModelName(type);
      const { default: value, nullable, 'x-kubernetes-map-type': mapType, ...bare } = node;
      define(name, mapType === undefined ? bare : { ...bare, 'x-kubernetes-map-type': mapType });
      return { ...present({ default: value }), allOf: [refTo(name)] };
    }
    const name = recursive.get(node);
    if (name === undefined) return convertNode(node, convert);
    define(name, node);
    return refTo(name);
  };
  const root = convertNode(schema, convert);
  const selectable = strategy.selectableFields ?? [];
  return {
    ...Object.fromEntries(definitions),
    [model]: {
      ...root,
      properties: { ...root.properties, apiVersion: API_VERSION, kind: KIND, metadata: METADATA },
      'x-kubernetes-group-version-kind': gvk(group, version, kind),
      ...present({
        'x-kubernetes-selectable-fields': unlessEmpty(
          selectable.map((fieldPath) => ({ fieldPath })),
        ),
      }),
    },
    [modelName({ ...resource, kind: listKind })]: listSchema(resource, model),
  };
};
