import { type QuantityFormat, quantityOf } from '@perigee/schema/values/quantity';
import { formatQuantity, parseQuantity } from '@perigee/schema/values/quantity-text';
import { amountOf } from './amount.ts';

const IN_BYTES = /^(memory|ephemeral-storage|hugepages-.+)$/;

/** Formats an amount for an object. */
export const writtenAmount = (resource: string, amount: number): string => {
  const parts = Math.min(amount, Number.MAX_SAFE_INTEGER);
  if (resource === 'cpu') return parts % 1000 === 0 ? String(parts / 1000) : `${parts}m`;
  const format: QuantityFormat = IN_BYTES.test(resource) ? 'BinarySI' : 'DecimalSI';
  return formatQuantity(quantityOf(parts, format));
};

/** Formats amounts for an object, without zeros. */
export const writtenAmounts = (
  amounts: Iterable<readonly [resource: string, parts: number]>,
): { readonly [resource: string]: string } =>
  Object.fromEntries(
    [...amounts]
      .filter(([, parts]) => parts > 0)
      .map(([resource, parts]) => [resource, writtenAmount(resource, parts)]),
  );

/** Parses an amount to an integer: milli-cores, and units of other resources. */
export const readAmount = (resource: string, quantity: string | number): number =>
  amountOf(resource, parseQuantity(quantity)).parts;
