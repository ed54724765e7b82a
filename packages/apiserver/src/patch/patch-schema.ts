import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

/** Strategic merge rule of a field. */
export interface PatchRule {
  readonly schema: StructuralSchema;
  /** The strategy beside `retainKeys`, which only speaks to the writers of patches. */
  readonly strategy: 'merge' | 'replace' | '';
  readonly mergeKey: string | undefined;
}

const ANYTHING: StructuralSchema = {};

const isSchema = (value: StructuralSchema | boolean | undefined): value is StructuralSchema =>
  typeof value === 'object';

/** The rule of a field of an object; undefined for unknown fields. */
export const patchRule = (schema: StructuralSchema, field: string): PatchRule | undefined => {
  const { properties = {}, additionalProperties } = schema;
  const property = Object.hasOwn(properties, field) ? properties[field] : undefined;
  const own = property ?? (isSchema(additionalProperties) ? additionalProperties : undefined);
  if (own === undefined) {
    const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
    return open || additionalProperties === true
      ? { schema: ANYTHING, strategy: '', mergeKey: undefined }
      : undefined;
  }
  const strategies = own['x-kubernetes-patch-strategy']?.split(',') ?? [];
  return {
    schema: own,
    strategy: strategies.includes('merge')
      ? 'merge'
      : strategies.includes('replace')
        ? 'replace'
        : '',
    mergeKey: own['x-kubernetes-patch-merge-key'],
  };
};

/** The schema of the items of a list. */
export const itemSchema = (schema: StructuralSchema): StructuralSchema => schema.items ?? ANYTHING;
