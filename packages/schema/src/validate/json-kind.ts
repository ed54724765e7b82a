import { isInt64 } from '../go-text.ts';
import type { JsonValue } from '../json.ts';

/** Kind of a JSON value, in the words of Kubernetes' messages. */
export type JsonKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export const jsonKindOf = (value: JsonValue): JsonKind => {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return isInt64(value) ? 'integer' : 'number';
    case 'bigint':
      return 'integer';
    case 'boolean':
      return 'boolean';
    default:
      return value === null ? 'null' : Array.isArray(value) ? 'array' : 'object';
  }
};
