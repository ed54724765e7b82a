import type { JsonValue } from '@perigee/api/json';
import { formatQuantity, parseQuantity } from '@perigee/api/values/quantity-text';

/** A quantity in its canonical form. */
export const quantityText = (value: JsonValue | undefined): string =>
  typeof value === 'string' || typeof value === 'number'
    ? formatQuantity(parseQuantity(value))
    : '0';
