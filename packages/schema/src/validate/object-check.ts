import { required as missing, tooMany } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { type Check, renderPath, report, reportValue, type Walk } from '../structural/walk.ts';

type ObjectCheck = (
  value: JsonObject,
  old: JsonValue | undefined,
  walk: Walk,
  since: number,
) => void;

const NO_FIELDS: JsonObject = Object.freeze(Object.create(null));

const countFields = (value: JsonObject): number => {
  let count = 0;
  for (const key in value) if (value[key] !== undefined) count++;
  return count;
};

const sizeCheck = ({ minProperties = 0, maxProperties }: StructuralSchema) => {
  if (minProperties === 0 && maxProperties === undefined) return undefined;
  return (value: JsonObject, walk: Walk, since: number): void => {
    const size = countFields(value);
    if (size < minProperties) {
      reportValue(walk, since, size, `should have at least ${minProperties} properties`);
    }
    if (maxProperties !== undefined && size > maxProperties) {
      report(walk, since, tooMany(renderPath(walk.path), size, maxProperties));
    }
  };
};

const hasField = (value: JsonObject, name: string): boolean =>
  value[name] !== undefined && Object.hasOwn(value, name);

export const objectCheck = (
  schema: StructuralSchema,
  properties: ReadonlyMap<string, Check>,
  additional: Check | undefined,
): ObjectCheck => {
  const checkSize = sizeCheck(schema);
  const { required = [] } = schema;
  return (value, old, walk, since) => {
    checkSize?.(value, walk, since);
    const oldFields = isJsonObject(old) ? old : NO_FIELDS;
    for (const name in value) {
      const field = value[name];
      const check = properties.get(name) ?? additional;
      if (field === undefined || check === undefined) continue;
      const before = hasField(oldFields, name) ? oldFields[name] : undefined;
      // An unchanged value may be invalid; its check only counts inside alternatives.
      if (before === field && walk.alternatives === 0) continue;
      walk.path.push(name);
      check(field, before, walk);
      walk.path.pop();
    }
    for (const name of required) {
      if (hasField(value, name)) continue;
      walk.path.push(name);
      report(walk, since, missing(renderPath(walk.path)));
      walk.path.pop();
    }
  };
};
