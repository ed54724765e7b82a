import type { StructType, TableField } from './table.ts';

/**
 * Objects that users write must have their required fields and valid enumerations. A status need not:
 * Kubernetes accepts it as it is.
 */
export type Use = 'written' | 'reported';

/** Use for which Go encodes a type: written by users, reported by programs, or not set at all. */
export type FormUse = Use | 'unset';

export const useOfField = <U extends FormUse>(
  { isObject }: StructType,
  { name }: TableField,
  use: U,
): U | 'reported' =>
  use === 'written' && isObject === true && name === 'status' ? 'reported' : use;
