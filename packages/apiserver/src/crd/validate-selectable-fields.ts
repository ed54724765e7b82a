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
  const visitedPaths = new Set<string>();
  const errors = paths.flatMap((jsonPath, at): readonly FieldError[] => {
    const field = `${path}[${at}].jsonPath`;
    if (jsonPath === '') return [required(field)];
    const node = fieldAt(schema, jsonPath);
    if (node === undefined) {
      const detail = 'is an invalid path: does not refer to a valid field';
      return [invalid(field, jsonPath, detail)];
    }
    const problems: FieldError[] = [];
    if (jsonPath.startsWith('.metadata.')) {
      problems.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
    }
    if (!TYPES.includes(node.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      problems.push(invalid(field, jsonPath, detail));
    }
    if (visitedPaths.has(jsonPath)) problems.push(duplicate(field, jsonPath));
    visitedPaths.add(jsonPath);
    return problems;
  });
  return visitedPaths.size > MOST ? [...errors, tooMany(path, visitedPaths.size, MOST)] : errors;
};
