import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  LEAF,
} from '@perigee/kubernetes/meta/field-set';
import { schemaOf } from '@perigee/kubernetes/types/schema-of';
import type { JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import { type FieldOwner, type FieldOwners, identityOf, readOwners } from '../apply/field-owner.ts';
import {
  managedFieldsOf,
  withManagedFields,
  withoutManagedFields,
} from '../apply/managed-metadata.ts';
import { trackUpdate } from '../apply/track-update.ts';
import { objectTypeOf } from '../apply/value-type.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Registry } from './registry.ts';
import { SCALE, scaleOf } from './scale.ts';

/** API version and subresource of managers that write a scale. */
const WRITER = { apiVersion: apiVersionOf(SCALE), subresource: 'scale' };

const IN_SCALE: FieldSet = { 'f:spec': { 'f:replicas': LEAF } };

export const scaleSchema = () => schemaOf('autoscaling.v1.Scale');

/** Path of the desired number of replicas in the kind itself. */
const replicasOf = ({ scale }: ServedResource): FieldSet =>
  (scale?.specReplicasPath ?? '')
    .split('.')
    .filter((step) => step !== '')
    .reduceRight<FieldSet>((set, step) => ({ [`f:${step}`]: set }), LEAF);

const has = ({ fields }: FieldOwner, path: FieldSet): boolean =>
  !isEmptySet(intersection(fields, path));

const readAll = (entries: JsonObject, resource: ServedResource): FieldOwners =>
  readOwners(managedFieldsOf(entries), objectTypeOf(resource.schema));

/** The scale of an object, with those who own the replicas of the object. */
export const ownedScale = (resource: ServedResource, object: JsonObject): JsonObject => {
  const path = replicasOf(resource);
  const owners = new Map<string, FieldOwner>();
  for (const owner of readAll(object, resource).values()) {
    if (!has(owner, path)) continue;
    const scaled = { ...owner, apiVersion: WRITER.apiVersion, fields: IN_SCALE };
    owners.set(identityOf(scaled), scaled);
  }
  return withManagedFields(scaleOf(resource, object), owners);
};

/**
 * Merges the field owners of a written scale into those of the object. As on Kubernetes, a manager with updates has
 * separate entries for the scale and for the object, and the time is lost.
 */
export const withScaleOwners = (
  resource: ServedResource,
  object: JsonObject,
  scale: JsonObject,
): JsonObject => {
  const path = replicasOf(resource);
  const scaled = new Map(readOwners(managedFieldsOf(scale), objectTypeOf(scaleSchema())));
  const owners = new Map<string, FieldOwner>();
  for (const [id, owner] of readAll(object, resource)) {
    if (has(owner, path) && !scaled.delete(id)) {
      const fields = difference(owner.fields, path);
      if (!isEmptySet(fields)) owners.set(id, { ...owner, fields });
    } else owners.set(id, owner);
  }
  for (const [id, { manager, operation, subresource, fields }] of scaled) {
    if (isEmptySet(intersection(fields, IN_SCALE))) continue;
    const apiVersion = apiVersionOf(resource);
    owners.set(id, { manager, operation, subresource, apiVersion, time: undefined, fields: path });
  }
  return withManagedFields(withoutManagedFields(object), owners);
};

/** The object, which has another number of replicas than the live one, with whose they are now. */
export const trackScale = (
  { clock }: Registry,
  resource: ServedResource,
  live: JsonObject,
  object: JsonObject,
  manager: string,
): JsonObject => {
  const scale = trackUpdate({
    ...WRITER,
    manager,
    live: ownedScale(resource, live),
    next: scaleOf(resource, object),
    schema: scaleSchema(),
    time: formatTime(clock.now()),
  });
  return withScaleOwners(resource, object, scale);
};
