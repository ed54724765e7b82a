import type { PrinterColumn } from '@perigee/api/kind/define-kind';
import { findValues } from '@perigee/api/values/json-path/find-values';
import { type PathStep, parseJsonPath } from '@perigee/api/values/json-path/parse-json-path';
import { ageOf } from '@perigee/kubernetes/columns/age';
import { ParseError } from '@perigee/schema/errors';
import { goJson, goNumber } from '@perigee/schema/go-text';
import type { JsonObject, JsonValue } from '@perigee/schema/json';

export type Cell = string | number | bigint | boolean | null;

const asText = (value: JsonValue): string => {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
      return goNumber(value);
    case 'boolean':
      return String(value);
    default:
      return value === null ? '<no value>' : goJson(value);
  }
};

const toCell = (type: PrinterColumn['type'], value: JsonValue, nowMs: number): Cell => {
  switch (type) {
    case 'string':
      return asText(value);
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      if (typeof value === 'bigint') return Number(value);
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, nowMs) : null;
  }
};

/** An object through which a column leads too far shows nothing there, and the others of its list are shown. */
const firstAt = (steps: readonly PathStep[], object: JsonObject): JsonValue | undefined => {
  try {
    return findValues(steps, object)[0];
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

/** Cell of a printer column; null if the object has no value of the column's type. */
export const printerCell = ({
  type,
  path,
}: PrinterColumn): ((object: JsonObject, nowMs: number) => Cell) => {
  const steps = parseJsonPath(path);
  return (object, nowMs) => {
    const value = firstAt(steps, object);
    return value === undefined ? null : toCell(type, value, nowMs);
  };
};
