import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { changedAt, changedItems, withField } from '@perigee/schema/json-fields';
import { reaches, structPartsOf, type TypePart } from './type-parts.ts';

/** Fills in what a value may leave out; gives the very same value when it lacks nothing. */
export type Default = (value: JsonObject) => JsonObject;

export type Defaults = ReadonlyMap<string, Default>;

const changedEntries = (object: JsonObject, name: string, change: Default): JsonObject => {
  const map = object[name];
  if (!isJsonObject(map)) return object;
  const entries = Object.entries(map).map(([key, value]): [string, JsonValue | undefined] => [
    key,
    isJsonObject(value) ? change(value) : value,
  ]);
  return entries.every(([key, value]) => value === map[key])
    ? object
    : withField(object, name, Object.fromEntries(entries));
};

const CHANGES = { one: changedAt, list: changedItems, map: changedEntries } as const;

/**
 * Applies the defaults of a type and of the types within it, the outer ones first, wherever values of
 * those types occur.
 */
export const typeDefaults = (typeName: string, defaults: Defaults): Default => {
  const names = new Set(defaults.keys());
  const defaultByType = new Map<string, Default>();
  const compile = (name: string): Default => {
    const cachedDefault = defaultByType.get(name);
    if (cachedDefault !== undefined) return cachedDefault;
    let parts: readonly (TypePart & { readonly apply: Default })[] | undefined;
    const own = defaults.get(name);
    const typeDefault: Default = (value) => {
      parts ??= structPartsOf(name)
        .filter(({ type }) => reaches(type, names))
        .map((part) => ({ ...part, apply: compile(part.type) }));
      let result = own?.(value) ?? value;
      for (const { name: field, form, apply } of parts) {
        result = CHANGES[form](result, field, apply);
      }
      return result;
    };
    defaultByType.set(name, typeDefault);
    return typeDefault;
  };
  return compile(typeName);
};
