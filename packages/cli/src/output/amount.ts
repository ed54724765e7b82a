import { nanosOf } from '@perigee/schema/values/quantity';
import { parseQuantity } from '@perigee/schema/values/quantity-text';

const NANOS = 1e9;
const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** One decimal at most, none from 100 on. */
const short = (value: number): string => String(Number(value.toFixed(value < 100 ? 1 : 0)));

const numberOf = (quantity: string): number => Number(nanosOf(parseQuantity(quantity))) / NANOS;

/** Formats cores: `62.5` rather than `62500m`. */
export const formatCores = (quantity: string): string => short(numberOf(quantity));

/** Formats bytes: `244Gi` rather than `256089778Ki`. */
export const formatBytes = (quantity: string): string => {
  let value = numberOf(quantity);
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${short(value)}${UNITS[unit]}`;
};
