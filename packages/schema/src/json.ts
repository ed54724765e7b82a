/**
 * A whole number of at most 64 bits that JavaScript would write with other digits is a `bigint`; all
 * others are a `number`. So each number has one form, and `===` compares them.
 */
export type JsonValue = string | number | bigint | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for a plain JSON object: not an array, not null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
