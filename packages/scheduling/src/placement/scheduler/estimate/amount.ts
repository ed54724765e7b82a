import { type Quantity, quantityMilliValue, quantityValue } from '@perigee/schema/values/quantity';

/**
 * An amount in the unit that it is divided in: thousandths for cpu, whole units for the rest. Whole units
 * are kept beside it, because less than one of them counts as none.
 */
export interface Amount {
  readonly units: number;
  readonly parts: number;
}

export const amountOf = (resource: string, quantity: Quantity): Amount => {
  const units = quantityValue(quantity);
  return { units, parts: resource === 'cpu' ? quantityMilliValue(quantity) : units };
};
