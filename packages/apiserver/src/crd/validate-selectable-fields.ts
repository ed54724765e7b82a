import { duplicate, type FieldError, invalid, required, tooMany } from '@perigee/schema/errors';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

/** Each of them costs time on every write. */
const MOST = 8;
const TYPES = ['string', 'boolean', 'integer'];

const fieldAt = (schema: StructuralSchema, path: string): StructuralSchema | undefined => {
  if (!path.startsWith('.')) return undefined;
  let node: StructuralSchema | undefined = schema;
  for (const name of path.slice(1).split('.')) {
    const { properties = {} }: StructuralSchema = node ?? {};
    node = Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  return node;
};

/** Problems of the selectable fields. */
export const validateSelectableFields = (
  paths: readonly string[],
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] => {
  const seen = new Set<string>();
  const errors = paths.flatMap((jsonPath, at): readonly FieldError[] => {
    const field = `${path}[${at}].jsonPath`;
    if (jsonPath === '') return [required(field)];
    const node = fieldAt(schema, jsonPath);
    if (node === undefined) {
      const detail = 'is an invalid path: does not refer to a valid field';
      return [invalid(field, jsonPath, detail)];
    }
    const found: FieldError[] = [];
    if (jsonPath.startsWith('.metadata.')) {
      found.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
    }
    if (!TYPES.includes(node.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      found.push(invalid(field, jsonPath, detail));
    }
    if (seen.has(jsonPath)) found.push(duplicate(field, jsonPath));
    seen.add(jsonPath);
    return found;
  });
  return seen.size > MOST ? [...errors, tooMany(path, seen.size, MOST)] : errors;
};
