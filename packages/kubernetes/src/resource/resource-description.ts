import type { PrinterColumn, ScaleSubresource } from '@perigee/api/kind/define-kind';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import type { Strategy } from './strategy.ts';

/** Between the form in which a resource shows its objects and the one in which they are stored. */
export interface Conversion {
  readonly toStored: (object: JsonObject) => JsonObject;
  readonly fromStored: (stored: JsonObject) => JsonObject;
}

/** A cell of a column that a JSON path cannot give. */
export interface ComputedColumn extends Omit<PrinterColumn, 'path'> {
  readonly cell: (object: JsonObject, nowMs: number) => string | number | boolean;
}

/** The group and plural under which objects are stored, whatever the version. */
export interface StorageNames {
  readonly group: string;
  readonly plural: string;
  readonly version: string;
}

/** Description of a kind in one version for an API server. */
export interface ResourceDescription extends ResourceKind {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** The schema of the whole object; list types, merge keys and the like are its extensions. */
  readonly schema: StructuralSchema;
  readonly storage: StorageNames;
  /** Absent when objects differ from the stored ones in their `apiVersion` only. */
  readonly conversion?: Conversion;
  /** Warning for clients that use a deprecated version. */
  readonly deprecation?: string;
  readonly hasStatus: boolean;
  readonly scale?: ScaleSubresource;
  readonly columns: readonly (PrinterColumn | ComputedColumn)[];
  readonly strategy: Strategy;
}
