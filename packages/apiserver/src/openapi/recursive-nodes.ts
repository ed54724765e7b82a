import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * The nodes of a schema that contain themselves, such as the schema of a schema, with a name for each.
 * A document can hold such a node only by reference.
 */
export const recursiveNodes = (
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
