import type { JsonValue } from '@perigee/schema/json';
import { formatQuantity, parseQuantity } from '@perigee/schema/values/quantity-text';

/** A quantity in its canonical form. */
export const quantityText = (value: JsonValue | undefined): string =>
  typeof value === 'string' || typeof value === 'number'
    ? formatQuantity(parseQuantity(value))
    : '0';
