import type { JsonValue } from '@perigee/api/json';
import { parse, stringify } from 'yaml';

/** Reads and writes YAML for those who must not know a parser. */
export const yamlFormat = {
  parse: (text: string): JsonValue => parse(text) as JsonValue,
  format: (value: JsonValue): string => stringify(value),
};
