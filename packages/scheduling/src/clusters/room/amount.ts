import { type Quantity, quantityMilliValue, quantityValue } from '@perigee/schema/values/quantity';

/**
 * An amount in its smallest unit: thousandths for cpu, whole units for the rest. The whole units are stored as well,
 * because less than one counts as none.
 */
export interface Amount {
  readonly units: number;
  readonly parts: number;
}

export const amountOf = (resource: string, quantity: Quantity): Amount => {
  const units = quantityValue(quantity);
  return { units, parts: resource === 'cpu' ? quantityMilliValue(quantity) : units };
};
