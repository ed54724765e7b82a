import { isJsonObject, type JsonValue } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';
import type { Walk } from './walk.ts';

/** Checks a value; adds errors to the walk. */
export type Visit = (value: JsonValue, walk: Walk) => void;

/**
 * Compiles a visit of all nodes for which `own` has something to do. Branches of the schema in which
 * there is nothing to do are not walked at all; nothing is returned when that is all of it.
 */
export const compileVisit = (
  schema: StructuralSchema,
  own: (node: StructuralSchema) => Visit | undefined,
): Visit | undefined => {
  const visit = own(schema);
  const items = schema.items && compileVisit(schema.items, own);
  const additional =
    typeof schema.additionalProperties === 'object'
      ? compileVisit(schema.additionalProperties, own)
      : undefined;
  const fields = new Map<string, Visit>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = compileVisit(property, own);
    if (field !== undefined) fields.set(name, field);
  }
  if (visit === undefined && items === undefined && additional === undefined && fields.size === 0) {
    return undefined;
  }
  return (value, walk) => {
    visit?.(value, walk);
    if (Array.isArray(value)) {
      if (items === undefined) return;
      for (const [index, item] of value.entries()) {
        walk.path.push(index);
        items(item, walk);
        walk.path.pop();
      }
    } else if (isJsonObject(value)) {
      if (fields.size === 0 && additional === undefined) return;
      for (const name in value) {
        const child = value[name];
        const field = fields.get(name);
        const next =
          field ?? (Object.hasOwn(schema.properties ?? {}, name) ? undefined : additional);
        if (child === undefined || next === undefined) continue;
        walk.path.push(field === undefined ? { key: name } : name);
        next(child, walk);
        walk.path.pop();
      }
    }
  };
};
