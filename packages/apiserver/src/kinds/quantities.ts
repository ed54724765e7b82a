import { ParseError } from '@perigee/api/errors';
import type { JsonObject, JsonValue } from '@perigee/api/json';
import type { Quantity } from '@perigee/api/values/quantity';
import { parseQuantity } from '@perigee/api/values/quantity-text';
import type { ResourceList } from '@perigee/api/values/resource-list';

/** The quantity that a value spells; nothing if it spells none, which is for the schema to refuse. */
export const readQuantity = (value: JsonValue | undefined): Quantity | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return undefined;
  }
  try {
    return parseQuantity(value);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

/** The readable amounts of a list of resources. */
export const readQuantities = (written: JsonObject): ResourceList =>
  new Map(
    Object.entries(written).flatMap(([name, value]) => {
      const quantity = readQuantity(value);
      return quantity === undefined ? [] : [[name, quantity] as const];
    }),
  );
