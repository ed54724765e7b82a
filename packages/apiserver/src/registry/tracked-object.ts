import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { FieldSet } from '@perigee/kubernetes/meta/field-set';
import type { JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import type { OtherVersions } from '../apply/other-versions.ts';
import { trackUpdate } from '../apply/track-update.ts';
import { objectTypeOf } from '../apply/value-type.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';

/** Field manager of requests that name none. */
export const UNKNOWN_MANAGER = 'unknown';

export interface Tracking {
  readonly manager: string;
  readonly subresource?: string;
  /** The object that is replaced; absent for a new one. */
  readonly live?: JsonObject;
  /** Fields that are written without an owner. */
  readonly resetFields?: FieldSet;
}

/** Needed only if versions differ: otherwise a field has the same path in all of them. */
export const otherVersions = (resource: ServedResource): { readonly versions?: OtherVersions } => {
  const { versions: reader } = formOf(resource);
  if (reader === undefined) return {};
  const { schemas } = reader;
  const typeOf = (apiVersion: string) => {
    const schema = schemas.get(apiVersion);
    return schema && objectTypeOf(schema);
  };
  return { versions: { typeOf, convert: reader.toVersion } };
};

/** The object with the record of who owns which of its fields. */
export const trackedObject = (
  { clock }: Registry,
  resource: ServedResource,
  next: JsonObject,
  tracking: Tracking,
): JsonObject => {
  const { schema, strategy } = resource;
  const isNew = tracking.live === undefined;
  return trackUpdate({
    ...tracking,
    next,
    schema,
    ...(isNew && strategy.blank !== undefined ? { blank: strategy.blank() } : {}),
    apiVersion: apiVersionOf(resource),
    time: formatTime(clock.now()),
    ...otherVersions(resource),
  });
};
