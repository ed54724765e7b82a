import type { StructType, TableField } from './table.ts';

/**
 * What users write is held to its required fields and to its enumerations. What programs report is not:
 * Kubernetes takes a status as it comes.
 */
export type Use = 'written' | 'reported';

export const useOfField = ({ isObject }: StructType, { name }: TableField, use: Use): Use =>
  isObject === true && name === 'status' ? 'reported' : use;
