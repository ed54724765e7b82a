import { nanosOf } from '@perigee/api/values/quantity';
import { parseQuantity } from '@perigee/api/values/quantity-text';

const NANOS = 1e9;
const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** At most one digit behind the point, and none for what is large. */
const short = (value: number): string => String(Number(value.toFixed(value < 100 ? 1 : 0)));

const numberOf = (quantity: string): number => Number(nanosOf(parseQuantity(quantity))) / NANOS;

/** Cores for people: `62.5` rather than `62500m`. */
export const formatCores = (quantity: string): string => short(numberOf(quantity));

/** Bytes for people: `244Gi` rather than `256089778Ki`. */
export const formatBytes = (quantity: string): string => {
  let value = numberOf(quantity);
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${short(value)}${UNITS[unit]}`;
};
