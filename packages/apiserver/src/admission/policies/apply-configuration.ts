import { isMessage, type MessageValue } from '@perigee/schema/cel/messages';
import { typeText } from '@perigee/schema/cel/types';
import { ListValue, MapValue, type Value } from '@perigee/schema/cel/values';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { merge } from '../../apply/merge.ts';
import { describePath, fieldElement } from '../../apply/path-element.ts';
import { typeProblems } from '../../apply/type-problems.ts';
import type { ValueType } from '../../apply/value-type.ts';
import { PolicyProblem } from '../../errors.ts';

const nameProblems = (value: Value, expected: string): readonly string[] => {
  if (value instanceof ListValue)
    return value.items.flatMap((item) => nameProblems(item, expected));
  if (value instanceof MapValue) {
    return [...value.entries.values()].flatMap((item) => nameProblems(item, expected));
  }
  if (!isMessage(value)) return [];
  const name = typeText(value.type);
  const own =
    name === expected
      ? []
      : [
          `unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`,
        ];
  const fields = [...value.value].flatMap(([field, item]) =>
    nameProblems(item, `${expected}.${field}`),
  );
  return [...own, ...fields];
};

/** Checks that type names follow the paths of their fields; throws a `PolicyProblem` otherwise. */
export const checkTypeNames = (message: MessageValue): void => {
  const problems = nameProblems(message, typeText(message.type));
  if (problems.length > 0) throw new PolicyProblem(`type mismatch: ${problems.join('\n')}`);
};

/** Paths at which a configuration sets a part of an atomic value. */
const atomicsIn = (
  value: JsonValue,
  type: ValueType,
  path: readonly string[],
): readonly string[] => {
  if (Array.isArray(value) && type.list !== undefined) {
    const { relation, item } = type.list;
    return [
      ...(relation === 'atomic' ? [describePath(path)] : []),
      ...value.flatMap((each, index) => atomicsIn(each, item, [...path, `i:${index}`])),
    ];
  }
  if (!isJsonObject(value) || type.map === undefined) return [];
  const { atomic, declares, field } = type.map;
  const below = Object.entries(value).flatMap(([name, each = null]) => {
    const child = declares(name) ? field(name) : undefined;
    return child === undefined ? [] : atomicsIn(each, child, [...path, fieldElement(name)]);
  });
  return [...(atomic ? [describePath(path)] : []), ...below];
};

/** The object with the fields of a configuration; throws a `PolicyProblem` when it does not fit the type. */
export const applyConfiguration = (
  object: JsonObject,
  config: JsonObject,
  type: ValueType,
): JsonObject => {
  const refuse = (why: string): never => {
    throw new PolicyProblem(`error applying patch: ${why}`);
  };
  const problems = typeProblems(config, type);
  if (problems.length > 0) {
    const list = problems.length === 1 ? problems.join() : ['errors:', ...problems].join('\n  ');
    refuse(`failed to convert patch object to typed object: ${list}`);
  }
  const atomics = atomicsIn(config, type, []);
  if (atomics.length > 0) {
    const places = atomics.join(', ');
    refuse(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${places}`);
  }
  return merge(object, config, type);
};
