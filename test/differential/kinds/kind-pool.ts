import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { Change } from '../operation.ts';

/** Values that a field may get. */
export interface Field {
  readonly path: readonly string[];
  readonly values: readonly JsonValue[];
}

/** Fields and values for random objects of a kind. */
export interface KindPool {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** The smallest body that is accepted, apart from its metadata. */
  readonly least: JsonObject;
  /** Values that are usually accepted. */
  readonly fields: readonly Field[];
  /** Values that are usually refused. */
  readonly badFields: readonly Field[];
  readonly statusFields: readonly Field[];
  readonly hasScale: boolean;
  readonly isCustom: boolean;
}

/** The values that a field at a dotted path may get. A path whose names contain dots comes in parts. */
export const at = (path: string | readonly string[], ...values: readonly JsonValue[]): Field => ({
  path: typeof path === 'string' ? path.split('.') : path,
  values,
});

export interface PoolParts {
  readonly least?: JsonObject;
  readonly fields?: readonly Field[];
  readonly bad?: readonly Field[];
  readonly status?: readonly Field[];
  readonly scale?: boolean;
  readonly cluster?: boolean;
  readonly custom?: boolean;
}

/** The pool of a kind, given as `apps/v1 Deployment deployments`. */
export const pool = (name: string, parts: PoolParts): KindPool => {
  const [apiVersion = '', kind = '', plural = ''] = name.split(' ');
  return {
    apiVersion,
    kind,
    plural,
    isNamespaced: parts.cluster !== true,
    least: parts.least ?? {},
    fields: parts.fields ?? [],
    badFields: parts.bad ?? [],
    statusFields: parts.status ?? [],
    hasScale: parts.scale === true,
    isCustom: parts.custom === true,
  };
};

export const resourcePath = (kind: KindPool, namespace: string): string => {
  const root = kind.apiVersion.includes('/')
    ? `/apis/${kind.apiVersion}`
    : `/api/${kind.apiVersion}`;
  return kind.isNamespaced
    ? `${root}/namespaces/${namespace}/${kind.plural}`
    : `${root}/${kind.plural}`;
};

/** The body with the changes made in it. */
export const withChanges = (body: JsonObject, changes: readonly Change[]): JsonObject =>
  changes.reduce((object, { path, value }) => withChange(object, path, value), body);

const withChange = (
  object: JsonObject,
  [key, ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonObject => {
  if (key === undefined) return object;
  if (rest.length === 0) {
    const { [key]: _, ...others } = object;
    return value === undefined ? others : { ...others, [key]: value };
  }
  const inner = object[key];
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  if (!isObject && value === undefined) return object;
  return { ...object, [key]: withChange(isObject ? (inner as JsonObject) : {}, rest, value) };
};
