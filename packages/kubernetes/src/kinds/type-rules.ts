import type { FieldError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { reaches, structPartsOf, type TypePart } from './type-parts.ts';

/** The problems of a value at this path. */
export type Rule = (value: JsonObject, path: string) => readonly FieldError[];

export type Rules = ReadonlyMap<string, Rule>;

const itemsOf = (object: JsonObject, { name, form }: TypePart, path: string) => {
  const value = object[name];
  const at = path === '' ? name : `${path}.${name}`;
  if (form === 'one') return [[value, at] as const];
  if (form === 'list') {
    return Array.isArray(value)
      ? value.map((item, index) => [item, `${at}[${index}]`] as const)
      : [];
  }
  return isJsonObject(value)
    ? Object.entries(value).map(([key, item]) => [item, `${at}[${key}]`] as const)
    : [];
};

/** Holds a value to the rules of its type and of the types within it, wherever those occur. */
export const typeRules = (typeName: string, rules: Rules): Rule => {
  const names = new Set(rules.keys());
  const ruleByType = new Map<string, Rule>();
  const compile = (name: string): Rule => {
    const cachedRule = ruleByType.get(name);
    if (cachedRule !== undefined) return cachedRule;
    let parts: readonly (TypePart & { readonly check: Rule })[] | undefined;
    const own = rules.get(name);
    const typeRule: Rule = (value, path) => {
      parts ??= structPartsOf(name)
        .filter(({ type }) => reaches(type, names))
        .map((part) => ({ ...part, check: compile(part.type) }));
      const errors = [...(own?.(value, path) ?? [])];
      for (const part of parts) {
        for (const [item, at] of itemsOf(value, part, path)) {
          if (isJsonObject(item)) errors.push(...part.check(item, at));
        }
      }
      return errors;
    };
    ruleByType.set(name, typeRule);
    return typeRule;
  };
  return compile(typeName);
};
