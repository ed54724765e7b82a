import {
  apiVersionOf,
  type ResourceKind,
  type WrittenObject,
} from '@perigee/api/meta/resource-kind';

/** The fields apiVersion and kind of an object. */
export interface TypeMeta {
  apiVersion?: string;
  kind?: string;
}

/**
 * Servers leave kind and version out of the items of a list of built-in objects. Fills them in, in
 * place: the objects have just been parsed and nobody else has seen them.
 */
export const fillTypeMeta = (kind: ResourceKind, objects: readonly TypeMeta[]): void => {
  const apiVersion = apiVersionOf(kind);
  for (const object of objects) {
    object.apiVersion ??= apiVersion;
    object.kind ??= kind.kind;
  }
};

/** The object as a server wants it. What a scale subresource takes is a Scale, whatever it belongs to. */
export const withTypeMeta = (
  kind: ResourceKind,
  object: WrittenObject,
  subresource: string | undefined,
): WrittenObject =>
  subresource === 'scale'
    ? { apiVersion: 'autoscaling/v1', kind: 'Scale', ...object }
    : { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object };
