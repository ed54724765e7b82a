import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/**
 * A node of a schema as a user wrote it, before it is known to be structural. It may hold anything, so
 * it is read through these functions, for which what is of the wrong type is absent.
 */
export type SchemaNode = JsonObject;

export const textAt = (node: SchemaNode, name: string): string => {
  const value = node[name];
  return typeof value === 'string' ? value : '';
};

export const isTrueAt = (node: SchemaNode, name: string): boolean => node[name] === true;

export const listAt = (node: SchemaNode, name: string): readonly JsonValue[] => {
  const value = node[name];
  return Array.isArray(value) ? value : [];
};

export const textsAt = (node: SchemaNode, name: string): readonly string[] =>
  listAt(node, name).filter((value) => typeof value === 'string');

export const nodeAt = (node: SchemaNode, name: string): SchemaNode | undefined => {
  const value = node[name];
  return isJsonObject(value) ? value : undefined;
};

/** The nodes of a list such as `anyOf`. */
export const nodesAt = (node: SchemaNode, name: string): readonly SchemaNode[] =>
  listAt(node, name).map((value) => (isJsonObject(value) ? value : {}));

/** The nodes of a map such as `properties`. */
export const namedNodesAt = (
  node: SchemaNode,
  name: string,
): readonly (readonly [name: string, node: SchemaNode])[] =>
  Object.entries(nodeAt(node, name) ?? {}).map(([key, value]) => [
    key,
    isJsonObject(value) ? value : {},
  ]);

export const propertyAt = (node: SchemaNode, name: string): SchemaNode | undefined => {
  const properties = nodeAt(node, 'properties');
  return properties && Object.hasOwn(properties, name) ? nodeAt(properties, name) : undefined;
};

export const JUNCTORS = ['allOf', 'anyOf', 'oneOf'] as const;

/** All nodes directly below, with the path from this node to each. */
export const childNodes = (
  node: SchemaNode,
): readonly (readonly [path: string, node: SchemaNode])[] => {
  const single = (name: string): readonly (readonly [string, SchemaNode])[] => {
    const child = nodeAt(node, name);
    return child ? [[name, child]] : [];
  };
  return [
    ...single('additionalProperties'),
    ...namedNodesAt(node, 'properties').map(
      ([name, child]) => [`properties[${name}]`, child] as const,
    ),
    ...single('not'),
    ...JUNCTORS.flatMap((junctor) =>
      nodesAt(node, junctor).map((child, at) => [`${junctor}[${at}]`, child] as const),
    ),
    ...single('items'),
  ];
};
