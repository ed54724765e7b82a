import type { StructType, TableField } from './table.ts';

/**
 * What users write is held to its required fields and to its enumerations. What programs report is not:
 * Kubernetes takes a status as it comes.
 */
export type Use = 'written' | 'reported';

/** How Go writes a type: what users write, what programs report, or what nobody has set. */
export type FormUse = Use | 'unset';

export const useOfField = <U extends FormUse>(
  { isObject }: StructType,
  { name }: TableField,
  use: U,
): U | 'reported' =>
  use === 'written' && isObject === true && name === 'status' ? 'reported' : use;
