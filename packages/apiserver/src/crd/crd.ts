import type { ScaleSubresource } from '@perigee/api/kind/define-kind';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface CrdColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

export interface CrdSubresources {
  readonly hasStatus: boolean;
  readonly scale: ScaleSubresource | undefined;
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly schema: StructuralSchema | undefined;
  readonly subresources: CrdSubresources | undefined;
  readonly columns: readonly CrdColumn[];
  readonly selectableFields: readonly string[];
}

export interface CrdCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A CustomResourceDefinition as its readers want it: what is absent is empty. */
export interface Crd {
  readonly name: string;
  readonly annotations: JsonObject;
  readonly group: string;
  readonly scope: string;
  readonly names: CrdNames;
  readonly versions: readonly CrdVersion[];
  readonly conversion: JsonObject | undefined;
  readonly preserveUnknownFields: boolean;
  readonly acceptedNames: CrdNames;
  readonly storedVersions: readonly string[];
  readonly conditions: readonly CrdCondition[];
}

type Maybe = JsonValue | undefined;

const text = (value: Maybe): string => (typeof value === 'string' ? value : '');
const object = (value: Maybe): JsonObject => (isJsonObject(value) ? value : {});
const list = (value: Maybe): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const texts = (value: Maybe): readonly string[] => list(value).map(text);

const readNames = (names: JsonObject): CrdNames => ({
  plural: text(names.plural),
  singular: text(names.singular),
  kind: text(names.kind),
  listKind: text(names.listKind),
  shortNames: texts(names.shortNames),
  categories: texts(names.categories),
});

const readColumn = (column: JsonObject): CrdColumn => ({
  name: text(column.name),
  type: text(column.type),
  format: text(column.format),
  description: text(column.description),
  priority: typeof column.priority === 'number' ? column.priority : 0,
  jsonPath: text(column.jsonPath),
});

const readScale = (scale: JsonObject): ScaleSubresource => ({
  specReplicasPath: text(scale.specReplicasPath),
  statusReplicasPath: text(scale.statusReplicasPath),
  ...present({ labelSelectorPath: unlessEmpty(text(scale.labelSelectorPath)) }),
});

const readSubresources = ({ status, scale }: JsonObject): CrdSubresources => ({
  hasStatus: isJsonObject(status),
  scale: isJsonObject(scale) ? readScale(scale) : undefined,
});

const readVersion = (version: JsonObject): CrdVersion => {
  const schema = object(version.schema).openAPIV3Schema;
  const { subresources, deprecationWarning } = version;
  return {
    name: text(version.name),
    served: version.served === true,
    storage: version.storage === true,
    deprecated: version.deprecated === true,
    deprecationWarning: typeof deprecationWarning === 'string' ? deprecationWarning : undefined,
    schema: isJsonObject(schema) ? (schema as StructuralSchema) : undefined,
    subresources: isJsonObject(subresources) ? readSubresources(subresources) : undefined,
    columns: list(version.additionalPrinterColumns).map((column) => readColumn(object(column))),
    selectableFields: list(version.selectableFields).map((field) => text(object(field).jsonPath)),
  };
};

const readCondition = (condition: JsonObject): CrdCondition => ({
  type: text(condition.type),
  status: text(condition.status),
  reason: text(condition.reason),
  message: text(condition.message),
});

/** Reads a CustomResourceDefinition; what is not of the right type counts as absent. */
export const readCrd = (crd: JsonObject): Crd => {
  const metadata = object(crd.metadata);
  const spec = object(crd.spec);
  const status = object(crd.status);
  return {
    name: text(metadata.name),
    annotations: object(metadata.annotations),
    group: text(spec.group),
    scope: text(spec.scope),
    names: readNames(object(spec.names)),
    versions: list(spec.versions).map((version) => readVersion(object(version))),
    conversion: isJsonObject(spec.conversion) ? spec.conversion : undefined,
    preserveUnknownFields: spec.preserveUnknownFields === true,
    acceptedNames: readNames(object(status.acceptedNames)),
    storedVersions: texts(status.storedVersions),
    conditions: list(status.conditions).map((condition) => readCondition(object(condition))),
  };
};

export const isCrdConditionTrue = (crd: Crd, type: string): boolean =>
  crd.conditions.some((condition) => condition.type === type && condition.status === 'True');
