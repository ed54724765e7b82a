import { age, integer } from './column.ts';
import { countAt } from './fields.ts';

/** What the scale of an object shows in its table, whatever its kind. */
export const scaleColumns = [
  integer('Desired', 'How many are wanted.', (scale) => countAt(scale, 'spec', 'replicas')),
  integer('Available', 'How many there are.', (scale) => countAt(scale, 'status', 'replicas')),
  age,
];
