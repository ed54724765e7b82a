import type { ResourceList } from '@perigee/api/values/resource-list';
import { ParseError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { Quantity } from '@perigee/schema/values/quantity';
import { parseQuantity } from '@perigee/schema/values/quantity-text';

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
