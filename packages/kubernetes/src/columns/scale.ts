import { age, integer } from './column.ts';
import { countAt } from './fields.ts';

/** Columns of the scale of an object, the same for all kinds. */
export const scaleColumns = [
  integer('Desired', 'How many are wanted.', (scale) => countAt(scale, 'spec', 'replicas')),
  integer('Available', 'How many there are.', (scale) => countAt(scale, 'status', 'replicas')),
  age,
];
