import { isJsonObject, type JsonValue } from '@perigee/schema/json';

/** All references anywhere in a document. */
export const referencesIn = (value: JsonValue | undefined): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  const { $ref } = value;
  return [
    ...(typeof $ref === 'string' ? [$ref] : []),
    ...Object.values(value).flatMap((child) => referencesIn(child)),
  ];
};
